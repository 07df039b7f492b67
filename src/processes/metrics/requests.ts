import type { CompletedRequest, RequestWatch } from '../../api/http/deps.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** Counts the requests for pages: how long each has taken, by route and status. */
export function countPages(metrics: ServiceMetrics): RequestWatch {
  return {
    begun() {},
    completed({ route, method, status, seconds }: CompletedRequest) {
      metrics.pageSeconds.observe({ route: route ?? 'none', method: route === null ? 'any' : method, status }, seconds);
    },
  };
}

/** Counts the API's requests: how many are under way, and how long each has taken, by route and status. */
export function countRequests(metrics: ServiceMetrics): RequestWatch {
  return {
    begun: () => metrics.requestsUnderWay.inc(),
    completed({ route, method, status, seconds }: CompletedRequest) {
      metrics.requestsUnderWay.dec();
      metrics.requestSeconds.observe(
        { route: route ?? 'none', method: route === null ? 'any' : method, status },
        seconds,
      );
    },
  };
}
