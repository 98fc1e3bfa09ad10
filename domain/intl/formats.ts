/**
 * Formatters of Intl. To make one takes as long as to use it fifty times, and it holds tens of
 * kilobytes, so each is made once and the newest are kept.
 */
const most = 256
const dates = new Map<string, Intl.DateTimeFormat>(),
  numbers = new Map<string, Intl.NumberFormat>()

/** The formatter of dates for this locale, time zone and form. Throws for an unknown time zone. */
export const dateFormat = (
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat =>
  kept(dates, locale + JSON.stringify(options), () => new Intl.DateTimeFormat(locale, options))

/** The formatter of numbers for this locale, currency and form. Throws for no currency's code. */
export const numberFormat = (
  locale: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat =>
  kept(numbers, locale + JSON.stringify(options), () => new Intl.NumberFormat(locale, options))

function kept<F>(formats: Map<string, F>, key: string, make: () => F): F {
  let format = formats.get(key)
  if (format === undefined) {
    format = make()
    // A map keeps the order of insertion: the first is the oldest.
    if (formats.size >= most) formats.delete(formats.keys().next().value!)
    formats.set(key, format)
  }
  return format
}
