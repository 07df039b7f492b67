import type { Event, PaymentsClient } from '@payments-service/client';
import { type Sandbox, type SandboxClock, startSandbox, type WebhookReceiver } from '@payments-service/sandbox';
import { camel } from '../../../clients/typescript/generate/naming.ts';
import type { SandboxDriver } from './sandbox.ts';

/** The helpers in TypeScript, called as those of the other languages. */
export function typescriptSandboxes(): SandboxDriver {
  const sandboxes: Sandbox[] = [];
  const clocks = new Map<string, SandboxClock>();
  const receivers = new Map<number, WebhookReceiver>();

  function shown(number: number) {
    const { baseUrl, dataDir, billerId, keys } = sandboxes[number] ?? missing();
    return { number, base_url: baseUrl, data_dir: dataDir, biller_id: billerId, keys };
  }

  // biome-ignore lint/suspicious/noExplicitAny: arguments are those of the tests
  async function call(method: string, [number, ...rest]: any[], options: any): Promise<unknown> {
    const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
    if (method === 'start') {
      const { service, data_dir: dataDir, start_timeout, time_zone: timeZone, country } = options;
      const startTimeoutMs = start_timeout === undefined ? undefined : start_timeout * 1000;
      sandboxes.push(await startSandbox({ service, dataDir, startTimeoutMs, timeZone, country }));
      return shown(sandboxes.length - 1);
    }
    const sandbox = sandboxes[number] ?? missing();
    const receiver = () => receivers.get(number) ?? missing();
    const clock = () => clocks.get(rest[0]) ?? missing();
    switch (method) {
      case 'clock': {
        const made = await sandbox.clock(options);
        clocks.set(made.id, made);
        return made.state;
      }
      case 'advance':
        return clock().advance(rest[1], { timeoutMs });
      case 'delete_clock':
        return clock().delete();
      case 'webhooks':
        receivers.set(number, await sandbox.webhooks(...rest));
        return { url: receiver().url };
      case 'events':
        return receiver().events;
      case 'wait_for':
        return receiver().waitFor(rest[0], { about: options.about, timeoutMs });
      case 'call':
        return callOf(sandbox.payments, rest);
      case 'trigger':
        return sandbox.trigger(rest[0] as Event['event_type']);
      case 'reset':
        await sandbox.reset({ timeZone: options.time_zone, country: options.country });
        return shown(number);
      case 'stop':
        return sandbox.stop();
      default:
        return missing();
    }
  }

  return {
    async attempt({ method, arguments: given = [], options = {} }) {
      try {
        return { result: await call(method, given, options) };
      } catch (error) {
        return { error };
      }
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests name what exists
function callOf(payments: PaymentsClient, [resource, method, ...given]: any[]): Promise<unknown> {
  const named = (name: string) => camel(name.split('_'));
  return Reflect.get(payments, named(resource))[named(method)](...given);
}

function missing(): never {
  throw new Error('There is no such sandbox, clock, receiver or method.');
}
