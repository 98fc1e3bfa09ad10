import type { StaffUser } from '../../domain/staff-calls/users.ts'
import { staffState, type StaffState } from '../../domain/staff/staff-user.ts'
import { Icon, type IconName } from '../icons.tsx'

const states: Record<StaffState, { label: string; icon: IconName; tone: string }> = {
  active: { label: 'Active', icon: 'check', tone: 'good' },
  invited: { label: 'Invited', icon: 'clock', tone: 'neutral' },
  disabled: { label: 'Disabled', icon: 'close', tone: 'bad' },
}

/** Whether a staff account is active, invited or disabled. */
export function State({ user }: { user: StaffUser }) {
  const { label, icon, tone } = states[staffState(user)]
  return (
    <span class="status" data-tone={tone}>
      <Icon name={icon} />
      {label}
    </span>
  )
}
