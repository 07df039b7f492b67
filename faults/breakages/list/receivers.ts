// Webhook receivers are slow, gone, or have no address.
import { findFreePorts } from '../../../dev/ports.ts';
import { serveOnLoopback } from '../../../lab/loopback-server.ts';
import type { Scene } from '../../scene.ts';
import type { Breakage, Course } from '../course.ts';
import { type Look, lineIn, runOps } from '../places.ts';

/** The line about an endpoint that has only failed, for less than a day. */
function failingLately(dataDir: string, endpointId: string): Look {
  return {
    place: '`ops stuck`',
    look: async () => lineIn((await runOps(dataDir, ['stuck'])).text, new RegExp(`^ {2}${endpointId} `)),
  };
}

/** An event on its way to the endpoint. Returns whether it is delivered. */
async function ping({ sandbox }: Scene, endpointId: string): Promise<() => Promise<boolean>> {
  const { id } = await sandbox.webhookEndpoints.ping(endpointId);
  return async () => (await sandbox.webhookDeliveries.get(id)).status === 'delivered';
}

async function resumed(
  { service }: Scene,
  course: Course,
  { endpointId, isDelivered }: { endpointId: string; isDelivered: () => Promise<boolean> },
): Promise<void> {
  await course.followOps(service.dataDir);
  await course.free(
    async () => (await isDelivered()) && !(await runOps(service.dataDir, ['stuck'])).text.includes(endpointId),
  );
}

export const receiverBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'receiver-slow',
    what: 'a webhook receiver accepts connections and does not respond',
    async run(scene, course) {
      let isSlow = true;
      const receiver = await serveOnLoopback((_received, response) => {
        if (!isSlow) response.writeHead(204).end();
      });
      course.onRepair(() => receiver.close());
      const { id } = await scene.sandbox.webhookEndpoints.create({ url: `${receiver.url}/hook?token=hidden` });
      course.onRepair(() => scene.sandbox.webhookEndpoints.delete(id));
      course.broken();
      const isDelivered = await ping(scene, id);
      await course.find(failingLately(scene.service.dataDir, id), /no response within 15 s/);
      await course.cause('the receiver responds', () => {
        isSlow = false;
      });
      await resumed(scene, course, { endpointId: id, isDelivered });
    },
  },
  {
    name: 'receiver-gone',
    what: 'nothing listens at the address of a webhook receiver',
    async run(scene, course) {
      const [port = 0] = await findFreePorts(1);
      const { id } = await scene.sandbox.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/hook` });
      course.onRepair(() => scene.sandbox.webhookEndpoints.delete(id));
      course.broken();
      const isDelivered = await ping(scene, id);
      await course.find(failingLately(scene.service.dataDir, id), /refused/);
      await course.cause('the receiver is started', async () => {
        const receiver = await serveOnLoopback((_received, response) => response.writeHead(204).end(), { port });
        course.onRepair(() => receiver.close());
      });
      await resumed(scene, course, { endpointId: id, isDelivered });
    },
  },
  {
    name: 'receiver-unresolvable',
    what: 'the host name of a webhook receiver no longer has an address',
    async run(scene, course) {
      const receiver = await serveOnLoopback((_received, response) => response.writeHead(204).end());
      course.onRepair(() => receiver.close());
      const { id } = await scene.sandbox.webhookEndpoints.create({ url: receiver.url });
      course.onRepair(() => scene.sandbox.webhookEndpoints.delete(id));
      await scene.sql`update webhook_endpoints set url = 'https://receiver.invalid/hook' where id = ${id}`;
      course.broken();
      const isDelivered = await ping(scene, id);
      await course.find(failingLately(scene.service.dataDir, id), /resolved/);
      await course.cause('its biller changes the URL', () =>
        scene.sandbox.webhookEndpoints.update(id, { url: receiver.url }),
      );
      await resumed(scene, course, { endpointId: id, isDelivered });
    },
  },
];
