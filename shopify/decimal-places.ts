/**
 * Decimal places of the currencies that do not have two: three, or none. The build sets them from
 * the source that every other part uses (domain/money.ts): functions run without `Intl`, and
 * browsers do not agree about some currencies.
 */
declare const __TWINSHELF_THREE_PLACES__: string
declare const __TWINSHELF_NO_PLACES__: string

export const decimalPlaces = (currency: string): number =>
  __TWINSHELF_NO_PLACES__.includes(currency)
    ? 0
    : __TWINSHELF_THREE_PLACES__.includes(currency)
      ? 3
      : 2
