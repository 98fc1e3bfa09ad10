import type { Test } from '../../domain/tests/ab-test.ts'
import { fixWords } from '../../domain/tests/hold-cause.ts'
import { paths } from '../../domain/paths.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { Icon } from '../icons.tsx'

/**
 * A banner on every tab of a report whose test the system has stopped: why, what to do, and how to
 * continue.
 */
export function TestStopped({
  test,
}: {
  test: Pick<Test, 'id' | 'kind' | 'status' | 'holdCause'>
}) {
  const { id, kind, status, holdCause } = test
  if (status === 'Suspended')
    return (
      <div class="banner" data-tone="bad" role="status">
        <Icon name="warning" />
        <div>
          <strong>This test is suspended.</strong> The subscription is not active: everyone sees the
          control, and nothing is counted. It continues as before when the subscription is active
          again. You can also end it.
        </div>
        <span class="row">
          <a class="button secondary small" href={paths.settings('billing')}>
            Plan &amp; Billing
          </a>
        </span>
      </div>
    )
  if (status !== 'OnHold') return null
  const target = targetKind(kind)
  return (
    <div class="banner" data-tone="warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>This test is on hold.</strong>{' '}
        {holdCause
          ? `${holdCause.message} ${holdCause.remedy}`
          : 'Resume it to check the cause again.'}{' '}
        Until then everyone sees the control.
      </div>
      <span class="row">
        {holdCause?.fixAt ? (
          <a class="button secondary small" href={holdCause.fixAt} target="_blank" rel="noopener">
            {fixWords[holdCause.cause] ?? 'Open your shop'}
          </a>
        ) : (
          target && (
            <a class="button secondary small" href={`${paths.report(id)}?ask=variant`}>
              {variantLabels[target]}
            </a>
          )
        )}
        <form method="post" action={paths.resume(id)}>
          <button class="small">
            <Icon name="play" />
            Resume
          </button>
        </form>
      </span>
    </div>
  )
}

const variantLabels = {
  template: 'Recreate the variant',
  theme: 'Choose another theme',
  url: 'Choose another page',
}
