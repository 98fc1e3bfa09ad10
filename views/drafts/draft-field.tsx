import type { ComponentChildren } from 'preact'
import type { FieldProblem } from '../../domain/problem.ts'
import { Icon } from '../icons.tsx'

export type Bound = {
  id: string
  name: string
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}
type DraftFieldProps = {
  name: string
  label: ComponentChildren
  help?: ComponentChildren
  problems: readonly FieldProblem[]
  /**
   * Renders the control. It must spread `bound`, which connects it with its label, help and
   * message.
   */
  control: (bound: Bound) => ComponentChildren
}

/**
 * Label above, help below, and the error message under its control. The page's script finds the
 * field by `data-field` to put a message there too.
 */
export function DraftField({ name, label, help, problems, control }: DraftFieldProps) {
  const problem = problemAt(problems, name),
    id = idOf(name)
  const described = [problem && `${id}-problem`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div class="field" data-field={name}>
      <label for={id}>{label}</label>
      {control({
        id,
        name,
        'aria-invalid': problem ? 'true' : undefined,
        'aria-describedby': described || undefined,
      })}
      {problem && <Problem id={`${id}-problem`} message={problem.message} />}
      {help && (
        <span class="field-help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  )
}

type GroupProps = {
  name: string
  problems: readonly FieldProblem[]
  label: ComponentChildren
  class?: string
  help?: ComponentChildren
  children: ComponentChildren
}

/** Several controls that are one field, with one message. */
export function DraftGroup({ name, problems, label, class: classes, help, children }: GroupProps) {
  const problem = problemAt(problems, name),
    id = idOf(name)
  return (
    <fieldset
      class={classes ?? 'stack-tight'}
      data-field={name}
      aria-describedby={problem ? `${id}-problem` : help ? `${id}-help` : undefined}
    >
      <legend>{label}</legend>
      {children}
      {problem && <Problem id={`${id}-problem`} message={problem.message} />}
      {help && (
        <span class="field-help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </fieldset>
  )
}

/** The message of a field or of one of its parts. */
export const problemAt = (
  problems: readonly FieldProblem[],
  name: string,
): FieldProblem | undefined =>
  problems.find(p => p.field === name) ?? problems.find(p => p.field.startsWith(`${name}.`))

const idOf = (name: string): string => name.replaceAll('.', '-')

export const Problem = ({ id, message }: { id: string; message: string }) => (
  <span class="field-error" id={id}>
    <Icon name="warning" />
    {message}
  </span>
)

/** Messages at fields that the step has no control for. */
export function Problems({
  problems,
  of,
}: {
  problems: readonly FieldProblem[]
  of: readonly string[]
}) {
  const told = of.flatMap(name => problemAt(problems, name) ?? [])
  if (told.length === 0) return null
  return (
    <div class="banner" data-tone="bad" role="alert">
      <Icon name="warning" />
      <div>
        {told.map(({ field, message }) => (
          <p key={field}>{message}</p>
        ))}
      </div>
    </div>
  )
}
