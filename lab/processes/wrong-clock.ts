// Loaded before a program (`node --import`): its clock is so many milliseconds ahead, as on a host whose clock is
// wrong. Time-outs and timers go by the monotonic clock, which stays as it is.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const rightNow = Date.now.bind(Date);
const wrongNow = (): number => rightNow() + aheadMs;

Date.now = wrongNow;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget),
});
