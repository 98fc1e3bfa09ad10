import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import {
  earningsLimits,
  earningsSorts,
  lineSorts,
  monthForm,
} from '../../domain/staff/staff-earnings.ts'
import {
  Earnings,
  EarningsOfMonth,
  monthName,
  type Waiting,
} from '../../views/staff/admin-earnings.tsx'
import { beyondTheEnd, listAsked, listState, refusedFields } from './admin-list.ts'
import { seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

type Given = {
  fileName: string
  csv: string
  /** The staff member has confirmed that the file replaces the months that are stored. */
  isConfirmed: boolean
}
const longestName = 200

/** Staff's pages of payouts by month, and the upload of a file with payouts. */
export function adminEarnings(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.register(async own => {
    // Browsers send each line end of a form's field as two characters, so the field may be longer
    // than the file.
    await own.register(multipart, {
      throwFileSizeLimit: false,
      limits: {
        files: 1,
        fileSize: earningsLimits.bytes,
        fields: 2,
        fieldSize: earningsLimits.bytes + earningsLimits.rows + 1,
        fieldNameSize: 20,
        parts: 3,
        headerPairs: 20,
      },
    })

    own.get(paths.admin('earnings'), (request, reply) => {
      const month = queryOf(request).get('month')
      return month === null
        ? list(request, reply, clock(), [], null)
        : ofMonth(request, reply, month)
    })

    own.post(paths.admin('earnings'), async (request, reply) => {
      const given = await givenOf(request)
      if ('message' in given) return list(request, reply.code(422), clock(), [given], null)
      const { fileName, csv, isConfirmed } = given
      try {
        const { months, rows } = await staffApiOf(request).uploadEarnings({
          body: { fileName, csv, replace: isConfirmed },
        })
        toast(
          request,
          reply,
          `${rows === 1 ? 'One row' : `${rows} rows`} of ${months.map(({ month }) => monthName(month)).join(', ')} ${rows === 1 ? 'was' : 'were'} uploaded.`,
        )
        return await seeOther(request, reply, paths.admin('earnings'))
      } catch (error) {
        const fields = refusedFields(error)
        const isThere = (error as HttpProblem).status === 409
        return list(
          request,
          reply.code(isThere ? 409 : 422),
          clock(),
          isThere ? [] : fields,
          isThere ? { fileName, csv, months: fields.map(({ message }) => message) } : null,
        )
      }
    })
  })
}

async function list(
  request: FastifyRequest,
  reply: FastifyReply,
  now: Date,
  problems: FieldProblem[],
  waiting: Waiting | null,
): Promise<FastifyReply> {
  const state = listState(request, {
    sorts: earningsSorts,
    usual: { sort: 'month', descending: true },
  })
  const found = await staffApiOf(request).adminEarnings({ query: listAsked(state) })
  return (
    beyondTheEnd(request, reply, state, found.count) ??
    staffPage(request, reply, {}, h(Earnings, { state, ...found, problems, waiting, now }))
  )
}

async function ofMonth(
  request: FastifyRequest,
  reply: FastifyReply,
  month: string,
): Promise<FastifyReply> {
  if (!monthForm.test(month)) throw new HttpProblem(404, 'There is no such month.')
  const state = {
    ...listState(request, { sorts: lineSorts, usual: { sort: 'net', descending: true } }),
    filters: { month },
  }
  const found = await staffApiOf(request).adminEarningsMonth({
    params: { month },
    query: listAsked(state),
  })
  return (
    beyondTheEnd(request, reply, state, found.count) ??
    staffPage(
      request,
      reply,
      { title: `Earnings of ${monthName(month)}` },
      h(EarningsOfMonth, { state, ...found }),
    )
  )
}

/** The file in the form, or what is wrong with it as a file. The API checks what it contains. */
async function givenOf(request: FastifyRequest): Promise<Given | FieldProblem> {
  const wrong = (message: string): FieldProblem => ({ field: 'file', message })
  if (!request.isMultipart()) throw new HttpProblem(415, 'The form sends a file.')
  let name = '',
    bytes: Buffer | null = null,
    isConfirmed = false,
    isTruncated = false
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        const content = await part.toBuffer()
        if (part.fieldname !== 'file') continue
        bytes = content
        name = part.filename
        isTruncated = part.file.truncated
        if (name !== '' && !/\.csv$/i.test(name))
          return wrong('Choose a CSV file, whose name ends in .csv.')
      } else if (part.fieldname === 'csv') {
        bytes = Buffer.from(String(part.value))
        isConfirmed = true
        isTruncated = part.valueTruncated
      } else if (part.fieldname === 'fileName') name = String(part.value)
    }
  } catch {
    throw new HttpProblem(400, 'The upload was interrupted. Try again.')
  }
  if (!bytes || (bytes.length === 0 && name === '')) return wrong('Choose a file.')
  const text = textOf(bytes)
  if (isTruncated || Buffer.byteLength(text ?? '') > earningsLimits.bytes)
    return wrong(`The file is larger than ${earningsLimits.bytes / 1024} KiB.`)
  if (text === null) return wrong('The file is not UTF-8 text.')
  if (text.trim() === '') return wrong('The file is empty.')
  return {
    fileName: name.replace(/[\u0000-\u001f]/g, '').slice(-longestName) || 'earnings.csv',
    csv: text,
    isConfirmed,
  }
}

/**
 * The bytes as text; null when they are not plain UTF-8 text. Line ends become one character each,
 * because JSON writes each such character as two.
 */
function textOf(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n')
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? null : text
  } catch {
    return null
  }
}
