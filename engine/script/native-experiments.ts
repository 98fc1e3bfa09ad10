import { clashing, clashWords, isIncompatible } from '../../domain/tests/native-experiment.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { type HoldCause, holdCause } from '../../domain/tests/hold-cause.ts'
import { type LaunchCheck, launchCheck } from '../../domain/tests/launch-check.ts'
import type { EngineContext } from '../context.ts'
import { type DraftRow, shopHosts } from '../drafts/draft-rows.ts'
import { liveTheme } from '../themes/live-templates.ts'
import type { TestRow } from '../tests/test-statuses.ts'

type Themed = Pick<TestRow, 'control_target' | 'variant_target'>
const themesOf = ({ control_target: control, variant_target: variant }: Themed) => [
  control?.themeId ?? undefined,
  variant?.themeId ?? undefined,
]

/**
 * The cause when the shop runs an experiment of its own over a theme of a theme test: visitors of
 * an arm then see a theme that is not theirs. Null when there is none.
 */
export async function experimentTrouble(
  { platform }: Pick<EngineContext, 'platform'>,
  shop: string,
  test: Themed,
): Promise<HoldCause | null> {
  const clashes = clashing(await platform.nativeExperiments(shop), themesOf(test))
  return clashes.length === 0
    ? null
    : { ...holdCause('nativeExperiment', clashWords(clashes)), fixAt: clashes[0]!.address }
}

/**
 * The line about the shop's own experiments; none when no such experiment touches the themes that
 * the test shows. It prevents the launch of a theme test, and warns for the others, which run
 * beside it on the live theme.
 */
export async function experimentCheck(
  { platform, db }: Pick<EngineContext, 'platform' | 'db'>,
  draft: Pick<DraftRow, 'store_id' | 'kind' | 'control_target' | 'variant_target'>,
): Promise<LaunchCheck[]> {
  const { shop } = await shopHosts(db.kysely, draft.store_id)
  try {
    const experiments = await platform.nativeExperiments(shop)
    if (experiments.length === 0) return []
    const clashes = clashing(experiments, [
      ...themesOf(draft),
      (await liveTheme(platform, shop)).id,
    ])
    if (clashes.length === 0) return []
    const fixAt = clashes[0]!.address
    return [
      isIncompatible(draft.kind)
        ? launchCheck('experiments', 'bad', clashWords(clashes), {
            remedy: 'End it in your shop’s admin, then check again.',
            fixAt,
          })
        : launchCheck('experiments', 'warn', clashWords(clashes), {
            remedy:
              'It changes what visitors of both arms see. End it first, or launch if it does not touch the tested pages.',
            fixAt,
          }),
    ]
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error
    return [
      launchCheck(
        'experiments',
        'warn',
        'Your shop did not say whether it runs experiments of its own.',
        { remedy: 'Check again in a minute.' },
      ),
    ]
  }
}
