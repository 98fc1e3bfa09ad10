import type { Updateable } from 'kysely'
import { industries } from '../../domain/stores/store-onboarding.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import type { StoresTable } from '../db/schema.ts'
import type { Serve } from '../http/routes.ts'

/** Serves the questions to a new merchant, and the end of onboarding. */
export function onboarding(serve: Serve, { db: { kysely }, clock, platform }: EngineContext): void {
  serve('industries', async () => industries)
  serve('setIndustries', async ({ body }, { storeId }) =>
    keep(storeId, { industry: body.selectedIndustry, team_size: body.teamSize }),
  )
  serve('setExperience', async ({ body }, { storeId }) =>
    keep(storeId, { testing_experience: body.testingExperience, source: body.source }),
  )
  serve('userAutofill', async (_, { shop }) => platform.merchant(shop))

  serve('startOnboarding', async (_, { storeId }) => {
    await kysely
      .updateTable('stores')
      .set({ onboarding_started_at: clock() })
      .where('store_id', '=', storeId)
      .where('onboarding_started_at', 'is', null)
      .execute()
    return { ok: true } as const
  })

  serve('setOnboarded', async (_, { storeId }) => {
    const { numUpdatedRows } = await kysely
      .updateTable('stores')
      .set({ onboarded: true, updated_at: clock() })
      .where('store_id', '=', storeId)
      .where(eb => eb.or([eb('onboarding_started_at', 'is not', null), eb('onboarded', '=', true)]))
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) throw new HttpProblem(409, 'Onboarding has not been started.')
    return { ok: true } as const
  })

  serve('dismissChecklist', async (_, { storeId }) => {
    await kysely
      .updateTable('stores')
      .set({ checklist_dismissed_at: clock() })
      .where('store_id', '=', storeId)
      .where('checklist_dismissed_at', 'is', null)
      .execute()
    return { ok: true } as const
  })

  async function keep(storeId: string, answers: Updateable<StoresTable>): Promise<{ ok: true }> {
    await kysely
      .updateTable('stores')
      .set({ ...answers, updated_at: clock() })
      .where('store_id', '=', storeId)
      .execute()
    return { ok: true } as const
  }
}
