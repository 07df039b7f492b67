// What an operator does in Temporal itself.
import { eventually } from '../../../lab/eventually.ts';
import { makePlan } from '../../../lab/payer.ts';
import { namespace } from '../../../lab/servers.ts';
import { today } from '../../alert-drill/breakages/breakage.ts';
import type { Scene } from '../../scene.ts';
import type { Breakage } from '../course.ts';
import { stuck } from '../places.ts';
import { isFree, isPaid } from './payments.ts';

export const temporalBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'activity-paused',
    what: 'the step that collects a live plan is paused in Temporal (`temporal activity pause`)',
    moneyWaits: true,
    async run(scene, course) {
      const { live, payers, service, standIn, temporal } = scene;
      await standIn.setClimate({ seed: 'paused', share: 1, kinds: ['error_500'] });
      course.onRepair(() => standIn.setClimate(null));
      const { id } = await makePlan(live, { customer_id: payers.live.customerId, start_date: today() });
      await live.paymentPlans.activate(id);
      const workflowId = `payment-plan/${id}`;
      const isUnderWay = async () => {
        const description = await temporal.workflow
          .getHandle(workflowId)
          .describe()
          .catch(() => null);
        return description?.raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'collectPlan');
      };
      await eventually('the plan is being collected', isUnderWay, { everyMs: 100 });
      const request = {
        namespace,
        execution: { workflowId },
        type: 'collectPlan',
        identity: 'drill',
        reason: 'a drill',
      };
      await temporal.workflowService.pauseActivity(request);
      course.broken();
      await course.find(stuck(service.dataDir, 'workflow_paused', id), /collectPlan was paused in Temporal/);
      await standIn.setClimate(null);
      await course.followOps(service.dataDir);
      await course.free(async () => (await isPaid(live, id)) && isFree(scene, id));
    },
  },
];
