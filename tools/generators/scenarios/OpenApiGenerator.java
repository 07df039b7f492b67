import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.CustomersApi;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.PaymentIntentsApi;
import org.openapitools.client.api.PaymentMethodsApi;
import org.openapitools.client.api.PaymentPlansApi;
import org.openapitools.client.api.TestClocksApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

/** The scenario with the classes that the generator `java` of openapi-generator writes. */
public class OpenApiGenerator {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL"));
    ((HttpBearerAuth) client.getAuthentication("secretKey")).setBearerToken(System.getenv("API_KEY"));
    client.setReadTimeout(70_000);
    TestClocksApi clocks = new TestClocksApi(client);
    PaymentIntentsApi intents = new PaymentIntentsApi(client);
    PaymentPlansApi plans = new PaymentPlansApi(client);

    TestClock clock = clocks.createTestClock(
        new TestClockCreate().frozenTime(OffsetDateTime.parse("2028-01-31T09:00:00Z")), null, null);
    Customer customer = new CustomersApi(client).createCustomer(
        new CustomerCreate().name("Ada Lovelace").testClock(clock.getId()), null, null);
    CardPaymentMethodCreate card = new CardPaymentMethodCreate()
        .type(CardPaymentMethodCreate.TypeEnum.CARD)
        .customerReference(customer.getId())
        .paymentMethodData(new CardData()
            .expiryMonth(12)
            .expiryYear(2034)
            .tokenMetadata(new TokenMetadata().type("fixture").token("tok_sandbox_visa_succeed").data("")));
    CreatedPaymentMethod method =
        new PaymentMethodsApi(client).createPaymentMethod(new PaymentMethodCreate(card), null, null);
    PaymentIntent made = intents.createPaymentIntent(
        new PaymentIntentCreate()
            .amount(1200)
            .currency(Currency.AUD)
            .customerId(customer.getId())
            .paymentMethod(method.getPaymentMethod().getId())
            .confirm(true),
        null, null);
    PaymentIntent intent = (PaymentIntent) intents.getPaymentIntent(made.getId(), null).getActualInstance();
    System.out.println("intent " + intent.getStatus() + " " + intent.getAmount());

    PaymentPlan plan = plans.createPaymentPlan(
        new PaymentPlanCreate()
            .customerId(customer.getId())
            .name("Membership")
            .frequencyType(PlanFrequency.MONTHLY)
            .startDate(LocalDate.parse("2028-01-31"))
            .recurringAmountCents(2500)
            .currency(Currency.AUD)
            .untilFurtherNotice(true),
        null, null);
    plans.activatePaymentPlan(plan.getId(), null, null);
    clocks.advanceTestClock(
        clock.getId(),
        new TestClockAdvance().frozenTime(OffsetDateTime.parse("2028-03-01T09:00:00Z")),
        null, null);
    TestClock ready = clocks.getTestClock(clock.getId(), "wait=60");
    System.out.println("clock " + ready.getStatus());
    for (PlanPayment payment : plans.listPlanPayments(plan.getId(), null, null).getData()) {
      System.out.println(payment.getDueDate() + " " + payment.getStatus());
    }
    EventList events =
        new EventsApi(client).listEvents(null, null, "payment_intent.succeeded", clock.getId());
    String amounts = events.getData().stream()
        .map(event -> ((PaymentIntentSucceededEvent) event.getActualInstance()).getData().getAmount())
        .sorted()
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
    System.out.println("events " + amounts);
    System.out.println("deleted " + clocks.deleteTestClock(clock.getId()).getDeleted());
    System.exit(0);
  }
}
