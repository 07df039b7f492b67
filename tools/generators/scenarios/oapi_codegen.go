// The scenario with the package that oapi-codegen writes.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"scenario/api"

	"github.com/oapi-codegen/runtime/types"
)

func main() {
	if err := run(context.Background()); err != nil {
		panic(err)
	}
}

func run(ctx context.Context) error {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(withKey))
	if err != nil {
		return err
	}
	start := time.Date(2028, time.January, 31, 9, 0, 0, 0, time.UTC)
	madeClock, err := client.CreateTestClockWithResponse(ctx, nil, api.TestClockCreate{FrozenTime: start})
	if err != nil {
		return err
	}
	clock := madeClock.JSON201.Id
	madeCustomer, err := client.CreateCustomerWithResponse(ctx, nil, api.CustomerCreate{Name: "Ada Lovelace", TestClock: &clock})
	if err != nil {
		return err
	}
	customer := madeCustomer.JSON201.Id
	var method api.PaymentMethodCreate
	err = method.FromCardPaymentMethodCreate(api.CardPaymentMethodCreate{
		CustomerReference: &customer,
		PaymentMethodData: api.CardData{
			ExpiryMonth:   12,
			ExpiryYear:    2034,
			TokenMetadata: api.TokenMetadata{Type: "fixture", Token: "tok_sandbox_visa_succeed"},
		},
	})
	if err != nil {
		return err
	}
	card, err := client.CreatePaymentMethodWithResponse(ctx, nil, method)
	if err != nil {
		return err
	}
	isConfirmed := true
	made, err := client.CreatePaymentIntentWithResponse(ctx, nil, api.PaymentIntentCreate{
		Amount:        1200,
		Currency:      api.AUD,
		CustomerId:    &customer,
		PaymentMethod: &card.JSON200.PaymentMethod.Id,
		Confirm:       &isConfirmed,
	})
	if err != nil {
		return err
	}
	found, err := client.GetPaymentIntentWithResponse(ctx, made.JSON201.Id, nil)
	if err != nil {
		return err
	}
	intent, err := found.JSON200.AsPaymentIntent()
	if err != nil {
		return err
	}
	fmt.Println("intent", intent.Status, intent.Amount)

	isOpenEnded := true
	plan, err := client.CreatePaymentPlanWithResponse(ctx, nil, api.PaymentPlanCreate{
		CustomerId:           customer,
		Name:                 "Membership",
		FrequencyType:        api.PlanFrequencyMonthly,
		StartDate:            types.Date{Time: start},
		RecurringAmountCents: 2500,
		Currency:             api.AUD,
		UntilFurtherNotice:   &isOpenEnded,
	})
	if err != nil {
		return err
	}
	if _, err = client.ActivatePaymentPlanWithResponse(ctx, plan.JSON201.Id, nil); err != nil {
		return err
	}
	target := api.TestClockAdvance{FrozenTime: time.Date(2028, time.March, 1, 9, 0, 0, 0, time.UTC)}
	if _, err = client.AdvanceTestClockWithResponse(ctx, clock, nil, target); err != nil {
		return err
	}
	wait := "wait=60"
	ready, err := client.GetTestClockWithResponse(ctx, clock, &api.GetTestClockParams{Prefer: &wait})
	if err != nil {
		return err
	}
	fmt.Println("clock", ready.JSON200.Status)
	payments, err := client.ListPlanPaymentsWithResponse(ctx, plan.JSON201.Id, nil)
	if err != nil {
		return err
	}
	for _, payment := range payments.JSON200.Data {
		fmt.Println(payment.DueDate, payment.Status)
	}
	succeeded := "payment_intent.succeeded"
	events, err := client.ListEventsWithResponse(ctx, &api.ListEventsParams{EventType: &succeeded, TestClock: &clock})
	if err != nil {
		return err
	}
	amounts := []int{}
	for _, event := range events.JSON200.Data {
		value, err := event.ValueByDiscriminator()
		if err != nil {
			return err
		}
		amounts = append(amounts, value.(api.PaymentIntentSucceededEvent).Data.Amount)
	}
	slices.Sort(amounts)
	fmt.Println("events", amounts[0], amounts[1], amounts[2])
	deleted, err := client.DeleteTestClockWithResponse(ctx, clock)
	if err != nil {
		return err
	}
	fmt.Println("deleted", deleted.JSON200.Deleted)
	return nil
}
