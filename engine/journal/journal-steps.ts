import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Change } from './journal-changes.ts'
import type { Step } from './journal-contract.ts'

/** How many places of a kind one step writes: as many as one call to any platform may name. */
export const maxPlaces: Record<JournalTable['kind'], number> = {
  file: 50,
  assignment: 250,
  price: 250,
  theme: 1,
  redirect: 50,
  picture: 50,
}

/** Changes of one kind that one call writes. */
export type Page = { kind: JournalTable['kind']; changes: Change[] }

/** The steps of a change, none larger than one call may be. */
export async function* pagesOf(
  steps: AsyncIterable<Step | Page> | Iterable<Step | Page>,
): AsyncGenerator<Page> {
  for await (const step of steps) {
    const { kind, changes } = 'kind' in step ? step : pageOf(step)
    for (let from = 0; from < changes.length; from += maxPlaces[kind])
      yield { kind, changes: changes.slice(from, from + maxPlaces[kind]) }
  }
}

/** The parts of a list that one call may name. */
export function partsOf<T>(kind: JournalTable['kind'], list: readonly T[]): T[][] {
  const size = maxPlaces[kind]
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  )
}

function pageOf(step: Step): Page {
  if ('files' in step)
    return {
      kind: 'file',
      changes: step.files.map(({ name, body }) => ({ place: [step.themeId, name], value: body })),
    }
  if ('assignments' in step)
    return {
      kind: 'assignment',
      changes: step.assignments.map(({ type, id, suffix }) => ({
        place: [type, id],
        value: suffix,
      })),
    }
  return {
    kind: 'price',
    changes: step.prices.map(({ variantId, price }) => ({
      place: [step.productId, variantId],
      value: String(price),
    })),
  }
}
