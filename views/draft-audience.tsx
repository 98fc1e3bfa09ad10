import type { Audience } from '../domain/audience.ts'
import { type AudienceForm, conditionLabels, operatorLabels } from '../domain/audience-form.ts'
import { conditionFields, matchOperators } from '../domain/audience-match.ts'
import { channelLabels } from '../domain/channel.ts'
import type { Output } from '../domain/contract.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import { Confirm } from './confirm.tsx'
import { DraftField, Problem, Problems } from './draft-field.tsx'
import { Icon } from './icons.tsx'

export type AudienceDialogProps = {
  draftId: string
  /** The one that is edited; null for a new one. */
  audience: Audience | null
  form: AudienceForm
  problems: FieldProblem[]
  /** What was refused without a field. */
  refusal: string | null
  /** A running test that uses it. */
  usedBy: Output<'audienceActiveTest'>['test']
  /** Whom the conditions would have met, in words, once that was asked. */
  reach: string | null
}

/** An audience of the store, met from a draft. The server opens it, so it needs no script; a script makes it a modal. */
export function AudienceDialog({ draftId, audience, form, problems, refusal, usedBy, reach }: AudienceDialogProps) {
  const action = paths.draftAudience(draftId, audience?.id), back = `${paths.draft(draftId)}?step=split`
  return (
    <>
      <dialog id="audience" open aria-labelledby="audience-title">
        <form class="modal modal-wide" method="post" action={action} novalidate>
          <h2 id="audience-title">{audience ? `Edit audience “${audience.name}”` : 'New audience'}</h2>
          {usedBy && <p class="banner" data-tone="warn"><Icon name="warning" /><span><strong>The running test <a href={paths.report(usedBy.id)}>{usedBy.title}</a> uses this audience.</strong> Until it ends you may rename the audience; its conditions stay, and it cannot be deleted.</span></p>}
          {refusal && <p class="banner" data-tone="bad" role="alert"><Icon name="warning" /><span>{refusal}</span></p>}
          <DraftField name="name" label="Name" problems={problems} control={bound => <input {...bound} value={form.name} maxLength={80} autocomplete="off" placeholder="German newsletter readers" />} />
          <fieldset class="stack-tight">
            <legend>A visitor is in it when all of these hold</legend>
            <Problems problems={problems.filter(p => p.field === 'values')} of={['values']} />
            {conditionFields.map((name, field) => <Condition key={name} {...{ name, field, problems }} row={form.rows[field]!} />)}
            <span class="field-help">Leave empty what does not matter. Capital letters make no difference.</span>
          </fieldset>
          <datalist id="channels">{Object.values(channelLabels).map(label => <option key={label} value={label} />)}</datalist>
          <div class="row">
            <button class="secondary small" name="act" value="preview" hx-post={action} hx-target="#reach" hx-select="#reach" hx-swap="outerHTML">Estimate audience size</button>
            <output id="reach">{reach}</output>
          </div>
          <footer>
            {audience && <button class="danger footer-start" type="button" command="show-modal" commandfor="delete-audience" disabled={usedBy !== null}>Delete audience</button>}
            <a class="button secondary" href={back}>Cancel</a>
            <button name="act" value="save">{audience ? 'Save audience' : 'Create audience'}</button>
          </footer>
        </form>
      </dialog>
      {audience && (
        <Confirm id="delete-audience" title={`Delete audience “${audience.name}”?`} action={paths.draftAudience(draftId, audience.id, 'delete')} act="Delete audience" keep="Keep it">
          Its conditions are lost, and drafts that name it have to name another. Ended tests keep their results.
        </Confirm>
      )}
    </>
  )
}

const hints: Partial<Record<(typeof conditionFields)[number], string>> = { Country: 'DE', Url: '/collections/sale', Referer: 'https://www.example.com/', Channel: 'Email' }

function Condition({ name, field, row, problems }: { name: (typeof conditionFields)[number]; field: number; row: AudienceForm['rows'][number]; problems: FieldProblem[] }) {
  const value = `values.${field}.value`, problem = problems.find(p => p.field === value || p.field === `values.${field}`)
  return (
    <div class="condition" data-field={value}>
      <span>{conditionLabels[name]}</span>
      <select name={`values.${field}.operator`} aria-label={`${conditionLabels[name]}: how it is compared`}>
        {matchOperators.map(operator => <option key={operator} value={operator} selected={operator === row.operator}>{operatorLabels[operator]}</option>)}
      </select>
      <input name={value} value={row.value} maxLength={500} aria-label={`${conditionLabels[name]}: what it is compared with`} placeholder={hints[name]} list={name === 'Channel' ? 'channels' : undefined} autocomplete="off"
        aria-invalid={problem ? 'true' : undefined} aria-describedby={problem ? `condition-${field}-problem` : undefined} />
      {problem && <Problem id={`condition-${field}-problem`} message={problem.message} />}
    </div>
  )
}
