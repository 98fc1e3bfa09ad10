import type { ComponentChildren } from 'preact'
import type { FieldProblem } from '../domain/problem.ts'
import { Icon } from './icons.tsx'

type Bound = { id: string; name: string; 'aria-invalid': 'true' | undefined; 'aria-describedby': string | undefined }
type DraftFieldProps = {
  name: string; label: ComponentChildren; help?: ComponentChildren; problems: FieldProblem[]
  /** Draws the control; it spreads what ties it to its label, help and message. */
  control: (bound: Bound) => ComponentChildren
}

/** Label above, help below, and the message under the control that it is about. */
export function DraftField({ name, label, help, problems, control }: DraftFieldProps) {
  const problem = problems.find(p => p.field === name)
  const described = [problem && `${name}-problem`, help && `${name}-help`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {control({ id: name, name, 'aria-invalid': problem ? 'true' : undefined, 'aria-describedby': described || undefined })}
      {problem && <Problem id={`${name}-problem`} message={problem.message} />}
      {help && <span class="field-help" id={`${name}-help`}>{help}</span>}
    </div>
  )
}

export const Problem = ({ id, message }: { id: string; message: string }) =>
  <span class="field-error" id={id}><Icon name="warning" />{message}</span>
