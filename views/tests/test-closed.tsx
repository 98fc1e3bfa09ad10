import { type Capability, closedMessage } from '../../domain/access.ts'
import type { Test } from '../../domain/tests/ab-test.ts'
import { Icon } from '../icons.tsx'

/**
 * A banner on every tab of a report whose test the plan or a flag no longer opens: what happens to
 * the test, and why.
 */
export function TestClosed({
  status,
  closed,
}: Pick<Test, 'status'> & { closed: Capability | null }) {
  if (!closed || (status !== 'Active' && status !== 'Paused')) return null
  return (
    <div class="banner" data-tone="warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>
          {status === 'Active'
            ? 'If you pause this test, you cannot resume it.'
            : 'This test cannot be resumed.'}
        </strong>{' '}
        {closedMessage(closed)}{' '}
        {status === 'Active'
          ? 'The test runs until its planned end, or until you end it.'
          : 'Until then everyone sees the control. You can also end the test.'}
      </div>
    </div>
  )
}
