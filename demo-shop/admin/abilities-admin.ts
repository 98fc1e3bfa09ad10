import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { fieldsOf, integer, text, type Fields } from '../forms.ts'
import { abilityFields, capabilitiesFrom, formValues } from './abilities-form.ts'
import { adminPage, formDone } from './admin-page.ts'
import type { ShopCapabilities } from './capabilities.ts'
import type { PlatformViews } from './platform-views.ts'
import type { WriteFault, WriteFaults } from './write-faults.ts'

const most = 1_000

/** The back office's page where each ability of the shop is set. Platforms differ in them. */
export const abilitiesAdmin: FastifyPluginAsync<{
  capabilities: ShopCapabilities
  faults: WriteFaults
  readerKey: string
  views: PlatformViews
}> = async (app, { capabilities, faults, readerKey, views }) => {
  const page = adminPage(views)
  const show = (
    reply: FastifyReply,
    values: Record<string, unknown>,
    problem: FieldProblem | null = null,
  ) =>
    page(reply, 'admin-abilities', {
      at: 'abilities',
      fields: abilityFields.map(field => ({ ...field, value: values[field.name] })),
      fault: { after: text(values['faultAfter']), times: text(values['faultTimes']) },
      readerKey,
      problem,
    })
  const stored = (): Record<string, unknown> => {
    const fault = faults.current()
    return {
      ...formValues(capabilities.current()),
      faultAfter: fault?.after,
      faultTimes: fault?.times,
    }
  }

  app.get('/admin/abilities', (_, reply) => show(reply, stored()))
  app.post('/admin/abilities', (request, reply) => {
    const fields = fieldsOf(request)
    return formDone(
      reply,
      () => {
        const wanted = capabilitiesFrom(fields),
          fault = faultFrom(fields)
        capabilities.set(wanted)
        faults.set(fault)
      },
      '/admin/abilities',
      ({ status, message, fields: [problem] }) =>
        show(reply.code(status), fields, problem ?? { field: '', message }),
    )
  })
}

/** Reads the fault of the form; null when both fields are empty. */
function faultFrom(fields: Fields): WriteFault | null {
  const [after, times] = [fields['faultAfter'], fields['faultTimes']].map(text) as [string, string]
  if (after === '' && times === '') return null
  const read = (field: string, given: string, from: number): number => {
    const number = integer(given)
    if (number >= from && number <= most) return number
    const message = `Enter a whole number from ${from} to ${most}, or leave both fields empty.`
    throw new HttpProblem(422, message, [{ field, message }])
  }
  return { after: read('faultAfter', after, 0), times: read('faultTimes', times, 1) }
}
