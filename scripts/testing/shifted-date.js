// Moves this process to another day, to find tests that assume something about today. DATE_SHIFT is
// the instant at which the process seems to start; time continues from there. PGlite uses the same
// clock.
const asked = process.env['DATE_SHIFT']
if (asked) {
  // Child processes get the difference in milliseconds, so that they continue with the same time.
  const real = Date,
    shift = /^-?\d+$/.test(asked) ? Number(asked) : real.parse(asked) - real.now()
  process.env['DATE_SHIFT'] = String(shift)
  if (Number.isNaN(shift)) throw new Error(`DATE_SHIFT is not a date: ${asked}`)
  globalThis.Date = new Proxy(real, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length > 0 ? given : [target.now() + shift], made),
    apply: target => new target(target.now() + shift).toString(),
    get: (target, key) => (key === 'now' ? () => target.now() + shift : Reflect.get(target, key)),
  })
}
