import { decimalAmount } from '../../domain/money.ts'
import { type FunctionInput, testedLines } from '../../domain/prices/function-charge.ts'
import { decimalPlaces } from '../decimal-places.ts'

type CartTransformRunResult = {
  operations: {
    lineUpdate: {
      cartLineId: string
      price: { adjustment: { fixedPricePerUnit: { amount: string } } }
    }
  }[]
}

/** Sets the price of each line that a test shows another price for. */
export const cartTransformRun = (input: FunctionInput): CartTransformRunResult => ({
  operations: testedLines(input, decimalPlaces).map(({ id, tested, digits }) => ({
    lineUpdate: {
      cartLineId: id,
      price: { adjustment: { fixedPricePerUnit: { amount: decimalAmount(tested, digits) } } },
    },
  })),
})
