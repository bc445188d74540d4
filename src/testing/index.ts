/** `obbligato/testing`: a clock for tests of your own schedules. A week passes in milliseconds, and the test decides when. */
export { createTestClock, type TestClock, type TestClockOptions } from './clock.ts';
export { until } from './work.ts';
