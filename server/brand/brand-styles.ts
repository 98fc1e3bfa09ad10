import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { BrandStyle, Pattern } from '../../domain/brand/brand-style.ts'
import { plainBrandStyle, plainFonts } from '../../domain/brand/brand-style-by-hand.ts'
import {
  fontKey,
  fontRoleNames,
  type FontRole,
  isPatternName,
  parseFonts,
  parsePattern,
  patternFormOf,
  patternNames,
  typedPattern,
} from '../../domain/brand/brand-style-form.ts'
import type { Output } from '../../domain/api/contract.ts'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { FontsEdit, PatternEdit } from '../../views/brand/brand-edit.tsx'
import { BrandImport, NoBrandStyle, type ReadingProblem } from '../../views/brand/brand-import.tsx'
import { BrandReview } from '../../views/brand/brand-review.tsx'
import { BrandSettings } from '../../views/brand/brand-settings.tsx'
import { page, seeOther } from '../page/page.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { busyReason } from '../upstream/api-outcomes.ts'

type Form = { Body: Posted }
type Edit = Form & { Params: { pattern?: string } }
type Brand = Output<'generateBrandStyle'>

/**
 * Pages that read the shop's brand style, show it for review, save it and edit it. The app stores
 * nothing between these pages: the review reads the shop again (the engine answers the same as long
 * as the shop does), and so does the save. The review's form carries a hash of what it showed
 * (`mark`); when the save reads something else, it answers 409 with a new review.
 */
export function brandStyles(app: FastifyInstance): void {
  app.get(paths.settings('brand-styles'), async (request, reply) =>
    page(
      request,
      reply,
      {},
      h(BrandSettings, {
        style: await apiOf(request).brandStyle({}),
        timeZone: storeOf(request).timeZone,
      }),
    ),
  )

  app.get(paths.brandStyles(), (request, reply) => importPage(request, reply))
  app.post<Form>(paths.brandStyles(), async (request, reply) => {
    if (request.body?.['act'] === 'by-hand') return byHand(request, reply)
    return (await readShop(request, reply))
      ? seeOther(request, reply, paths.brandStyles('review'))
      : reply
  })

  app.get(paths.brandStyles('review'), async (request, reply) => {
    const brand = await readShop(request, reply)
    return brand ? review(request, reply, brand) : reply
  })
  app.post<Form>(paths.brandStyles('review'), async (request, reply) => {
    const brand = await readShop(request, reply)
    if (!brand) return reply
    if (request.body.mark !== markOf(brand)) return review(request, reply.code(409), brand, true)
    await apiOf(request).saveBrandStyle({
      body: { brandStyle: brand.brandStyle, availableFonts: brand.fonts, update: false },
    })
    toast(request, reply, 'Brand styles saved.')
    return seeOther(request, reply, placeOf(String(request.body.edit ?? ''), brand.brandStyle))
  })

  const edit = `${paths.brandStyles('edit')}/:pattern?`
  app.get<Edit>(edit, async (request, reply) => {
    const { pattern: name } = request.params
    const style = await keptStyle(request)
    if (!style) return page(request, reply, {}, h(NoBrandStyle, { level: 1 }))
    if (!name) {
      const chosen = Object.fromEntries(
        fontRoleNames.map(role => [role, fontKey(style[role])]),
      ) as Record<FontRole, string>
      return page(
        request,
        reply,
        {},
        h(FontsEdit, {
          style,
          chosen,
          entries: await apiOf(request).brandFonts({}),
          shown: style,
          problems: [],
          isReplaced: false,
        }),
      )
    }
    const pattern = patternOf(style, name)
    return page(
      request,
      reply,
      {},
      h(PatternEdit, {
        style,
        name,
        form: patternFormOf(pattern),
        shown: pattern,
        problems: [],
        isReplaced: false,
      }),
    )
  })
  app.post<Edit>(edit, async (request, reply) => {
    const style = await keptStyle(request)
    if (!style)
      throw new HttpProblem(404, 'There are no saved brand styles to edit. Import them first.')
    return request.params.pattern
      ? savePattern(request, reply, style, request.params.pattern)
      : saveFonts(request, reply, style)
  })
}

/**
 * Path of the page that edits a part of the style ("fonts" or the name of a pattern). For any other
 * name, the settings page with the saved style.
 */
function placeOf(part: string, { patterns }: BrandStyle): string {
  if (part === 'fonts') return paths.brandStyles('edit')
  return patternNames(patterns).includes(part)
    ? paths.brandStyles('edit', part)
    : paths.settings('brand-styles')
}

/**
 * Saves a plain style that the merchant can change, for a shop that cannot be read. Saves nothing
 * when the store already has a style.
 */
async function byHand(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (await apiOf(request).brandStyle({}))
    return seeOther(request, reply, paths.settings('brand-styles'))
  await apiOf(request).saveBrandStyle({
    body: { brandStyle: plainBrandStyle, availableFonts: plainFonts, update: false },
  })
  toast(request, reply, 'Plain brand styles saved. Change them to look like your shop.')
  return seeOther(request, reply, paths.settings('brand-styles'))
}

/**
 * Reads the shop's brand style. When that fails, sends the import page with the reason and returns
 * null. Throws HttpProblem 401.
 */
async function readShop(request: FastifyRequest, reply: FastifyReply): Promise<Brand | null> {
  try {
    return await apiOf(request).generateBrandStyle({})
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status === 401) throw error
    const isFailure = error.status >= 500
    if (isFailure) request.log.error({ err: error }, 'shop not read')
    await importPage(request, reply.code(error.status), {
      text: isFailure ? (busyReason(error) ?? unread[error.status] ?? unread[502]) : error.message,
      uuid: isFailure ? request.id : null,
    })
    return null
  }
}
const unread: Record<number, string> & { 502: string } = {
  502: 'It did not answer, or did not send a page.',
  504: 'It took too long to answer.',
}

async function importPage(
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: ReadingProblem,
): Promise<FastifyReply> {
  const kept = await apiOf(request).brandStyle({})
  return page(
    request,
    reply,
    { route: 'import-brand-styles' },
    h(BrandImport, { kept, timeZone: storeOf(request).timeZone, ...(problem && { problem }) }),
  )
}

async function review(
  request: FastifyRequest,
  reply: FastifyReply,
  brand: Brand,
  hasChanged = false,
): Promise<FastifyReply> {
  const kept = await apiOf(request).brandStyle({})
  return page(
    request,
    reply,
    {},
    h(BrandReview, {
      style: brand.brandStyle,
      fonts: brand.fonts,
      mark: markOf(brand),
      kept,
      timeZone: storeOf(request).timeZone,
      hasChanged,
    }),
  )
}

const markOf = (brand: Brand): string =>
  createHash('sha256').update(JSON.stringify(brand)).digest('base64url')

/**
 * The saved style, or null. Throws HttpProblem 404 when the pattern in the path cannot be a
 * pattern's name.
 */
async function keptStyle(request: FastifyRequest<Edit>): Promise<BrandStyle | null> {
  const { pattern } = request.params
  if (pattern && !isPatternName(pattern)) throw noPattern()
  return apiOf(request).brandStyle({})
}

function patternOf(style: BrandStyle, name: string): Pattern {
  const pattern = style.patterns[patternNames(style.patterns).indexOf(name)]
  if (!pattern) throw noPattern()
  return pattern
}
const noPattern = () => new HttpProblem(404, 'Your brand styles have no such pattern.')

async function savePattern(
  request: FastifyRequest<Edit>,
  reply: FastifyReply,
  style: BrandStyle,
  name: string,
) {
  const kept = patternOf(style, name),
    form = typedPattern(request.body)
  const { pattern, problems } = parsePattern(form, kept.kind)
  return save(request, reply, {
    style,
    isValid: pattern !== null,
    edited: {
      ...style,
      patterns: style.patterns.map(each => (each === kept && pattern ? pattern : each)),
    },
    fonts: () => apiOf(request).brandFonts({}),
    form: isReplaced =>
      h(PatternEdit, { style, name, form, shown: pattern ?? kept, problems, isReplaced }),
  })
}

async function saveFonts(request: FastifyRequest<Edit>, reply: FastifyReply, style: BrandStyle) {
  const entries = await apiOf(request).brandFonts({})
  const { fonts, problems } = parseFonts(request.body, style, entries)
  const chosen = Object.fromEntries(
    fontRoleNames.map(role => [role, String(request.body[role] ?? '')]),
  ) as Record<FontRole, string>
  return save(request, reply, {
    style,
    isValid: fonts !== null,
    edited: { ...style, ...fonts },
    fonts: async () => entries,
    form: isReplaced =>
      h(FontsEdit, { style, chosen, entries, shown: fonts ?? style, problems, isReplaced }),
  })
}

type Saving = {
  style: BrandStyle
  isValid: boolean
  edited: BrandStyle
  fonts: () => Promise<Output<'brandFonts'>>
  form: (isReplaced: boolean) => JSX.Element
}

/**
 * Saves the edited style. Sends the form again when it has problems (422), when the merchant only
 * wants to see the result, or when the saved style was replaced meanwhile (409).
 */
async function save(
  request: FastifyRequest<Edit>,
  reply: FastifyReply,
  { style, isValid, edited, fonts, form }: Saving,
): Promise<FastifyReply> {
  // True when the saved style is no longer the one that the form was made from.
  const isReplaced = request.body.id !== style.id
  const again = (status: number, replaced = isReplaced) =>
    page(request, reply.code(status), { route: 'edit-brand-style' }, form(replaced))
  if (!isValid) return again(422)
  if (request.body.act === 'show') return again(200)
  if (isReplaced) return again(409)
  try {
    await apiOf(request).saveBrandStyle({
      body: { brandStyle: edited, availableFonts: await fonts(), update: true },
    })
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 409) return again(409, true)
    throw error
  }
  toast(request, reply, 'Brand styles saved.')
  return seeOther(request, reply, paths.settings('brand-styles'))
}
