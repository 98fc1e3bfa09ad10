/**
 * Finds every amount of money, or other number, in a text: "1,234.50", "1.234,50 €", "1 234,50".
 * Returns them in minor units of a currency with `decimals` decimal places. An amount that occurs
 * twice is returned twice.
 */
export function amountsIn(text: string, decimals: number): number[] {
  const written = text.match(/\d+(?:[.,'’ \u00a0\u2009\u202f]\d{3})*(?:[.,]\d{1,3})?(?!\d)/g) ?? []
  return written.map(figure => {
    const fraction = decimals > 0 ? new RegExp(`^(.*)[.,](\\d{${decimals}})$`).exec(figure) : null
    const digits = (part: string) => Number(part.replace(/\D/g, ''))
    return fraction
      ? digits(fraction[1]!) * 10 ** decimals + Number(fraction[2])
      : digits(figure) * 10 ** decimals
  })
}
