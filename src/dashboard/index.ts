/** `obbligato/dashboard`: a live page about the tasks of a store, as a handler for any server, or on one of its own. */

export type { HttpHeaders, HttpRequest, HttpResponse } from '../http.ts';
export { dashboard } from './dashboard.ts';
export type { Authorize, Dashboard, DashboardOptions, MonitorVerdict } from './options.ts';
export { DASHBOARD_PORT, type DashboardServer, type ServeOptions, serveDashboard } from './serve.ts';
