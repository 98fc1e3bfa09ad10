import type { Hypothesis } from '../../../domain/drafts/draft.ts'
import type { Reader } from '../../db/types.ts'

/** The two arms of a draft or test, control first, each with its screenshots. */
export async function hypothesesOf(
  reader: Reader,
  row: { store_id: string; control_hypothesis_id: string; variant_hypothesis_id: string },
): Promise<Hypothesis[]> {
  const arms = [
    { id: row.control_hypothesis_id, arm: 'control' as const },
    { id: row.variant_hypothesis_id, arm: 'variant' as const },
  ]
  const pictures = await reader
    .selectFrom('screenshots')
    .select(['hypothesis_id', 'device', 'taken_at'])
    .where('store_id', '=', row.store_id)
    .where(
      'hypothesis_id',
      'in',
      arms.map(({ id }) => id),
    )
    .orderBy('device')
    .execute()
  return arms.map(arm => ({
    ...arm,
    screenshots: pictures
      .filter(({ hypothesis_id: of }) => of === arm.id)
      .map(({ device, taken_at: at }) => ({ device, takenAt: at.toISOString() })),
  }))
}
