import type { Test } from '../../domain/tests/ab-test.ts'
import { whyNotApplied } from '../../domain/tests/apply-words.ts'
import { arms } from '../../domain/arm.ts'
import { paths } from '../../domain/paths.ts'
import { Icon } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'
import { CopyLink } from '../row-menu.tsx'
import { applyAct } from './test-apply.tsx'

/**
 * Without scripts these links download the files. With scripts the page shows how far a download is
 * (islands/reports/downloads.tsx).
 */
const exported = [
  ['results', 'Download results (CSV)'],
  ['orders', 'Download orders (CSV)'],
  ['all', 'Download all (zip)'],
] as const

/** The menu of further acts on a test. When it cannot be applied, the menu says why. */
export function TestMore({ test }: { test: Test }) {
  const closed = whyNotApplied(test),
    asks = (ask: string) => asking(paths.report(test.id), ask)
  return (
    <details class="menu">
      <summary class="button quiet">
        <Icon name="more" />
        <span class="label">More</span>
      </summary>
      <ul class="menu-list">
        {closed ? (
          <li class="menu-note note">{closed}</li>
        ) : (
          arms.toReversed().map(
            arm =>
              arm !== test.appliedArm && (
                <li key={arm}>
                  <a href={asks(`apply-${arm}`)}>
                    <Icon name={arm === 'variant' ? 'check' : 'back'} />
                    {applyAct(test.status, arm)}…
                  </a>
                </li>
              ),
          )
        )}
        <li class="menu-rule" />
        <li>
          <a {...opens('test-details', asks('details'))}>
            <Icon name="pencil" />
            Name and hypothesis…
          </a>
        </li>
        {test.status !== 'Ended' && (
          <li>
            <a {...opens('schedule-test', asks('schedule'))}>
              <Icon name="clock" />
              Schedule…
            </a>
          </li>
        )}
        <CopyLink />
        <li>
          <form method="post" action={paths.testAct(test.id, 'duplicate')}>
            <button class="menu-act">
              <Icon name="plus" />
              Duplicate into a draft
            </button>
          </form>
        </li>
        <li class="menu-rule" />
        {exported.map(([what, label]) => (
          <li key={what}>
            <a href={paths.testExport(test.id, what)} download data-download={what}>
              <Icon name="download" />
              {label}
            </a>
          </li>
        ))}
        <li class="needs-script">
          <button class="menu-act" type="button" data-print>
            <Icon name="print" />
            Print or save as PDF
          </button>
        </li>
        <li class="menu-rule" />
        <li>
          <a {...opens('delete-test', asks('delete'))}>
            <Icon name="trash" />
            Delete…
          </a>
        </li>
      </ul>
    </details>
  )
}
