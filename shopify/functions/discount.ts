import { decimalAmount } from '../../domain/money.ts'
import { type FunctionInput, testedLines } from '../../domain/prices/function-charge.ts'
import { decimalPlaces } from '../decimal-places.ts'

type CartLinesDiscountsGenerateRunResult = {
  operations: {
    productDiscountsAdd: {
      selectionStrategy: 'ALL'
      candidates: {
        targets: { cartLine: { id: string } }[]
        value: { fixedAmount: { amount: string; appliesToEachItem: true } }
      }[]
    }
  }[]
}

/** Lowers the price of each line that a test shows a lower price for. It cannot raise one. */
export function cartLinesDiscountsGenerateRun(
  input: FunctionInput & { discount: { discountClasses: string[] } },
): CartLinesDiscountsGenerateRunResult {
  const lines = input.discount.discountClasses.includes('PRODUCT')
    ? testedLines(input, decimalPlaces).filter(({ now, tested }) => tested < now)
    : []
  if (lines.length === 0) return { operations: [] }
  const candidates = lines.map(({ id, now, tested, digits }) => ({
    targets: [{ cartLine: { id } }],
    value: {
      fixedAmount: {
        amount: decimalAmount(now - tested, digits),
        appliesToEachItem: true as const,
      },
    },
  }))
  return { operations: [{ productDiscountsAdd: { selectionStrategy: 'ALL', candidates } }] }
}
