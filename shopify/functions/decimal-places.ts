/**
 * Decimal places of the currencies that do not have two. The build sets it, from the same source as
 * everywhere else (domain/money.ts), because functions run without `Intl`.
 */
declare const __TWINSHELF_DIGITS__: Readonly<Record<string, number>>

export const decimalPlaces = (currency: string): number => __TWINSHELF_DIGITS__[currency] ?? 2
