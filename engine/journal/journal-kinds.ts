import { HttpProblem } from '../../domain/problem.ts'
import { assignedTypes, type AssignedType, templateOf } from '../../domain/themes/template.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Platform } from '../platform/adapter.ts'
import { countResources, resourcesById } from '../platform/resources.ts'

/**
 * Names one thing of the shop within its kind: [theme, file], [type, id], [product, product
 * variant], [path], [picture], or nothing for the live theme.
 */
export type Place = readonly string[]
/**
 * What we found at a place. `value`: null when the place is empty, undefined when the place no
 * longer exists.
 */
export type Found = { value: string | null | undefined; what: string }

export type BytesOf = (picture: string) => Promise<{ type: string; body: Buffer } | null>

/** How to read and write one kind of change. Places of one batch are read and written together. */
export type JournalKind = {
  look: (platform: Platform, shop: string, places: readonly Place[]) => Promise<Found[]>
  /** `bytesOf` reads a stored picture. */
  write: (
    platform: Platform,
    shop: string,
    changes: { place: Place; value: string | null }[],
    bytesOf: BytesOf,
  ) => Promise<void>
  /** True if the merchant now uses what we put there, so that we must not remove it. */
  isInUse?: (platform: Platform, shop: string, place: Place) => Promise<boolean>
  /**
   * What stands there is taken away before the other is put there: cut off in between, there is
   * nothing.
   */
  isTwoSteps?: true
}

const file: JournalKind = {
  look: async (platform, shop, places) => {
    const themeId = places[0]![0]!
    const theme = (await platform.themes(shop)).find(each => each.id === themeId)
    const bodies = theme
      ? new Map(
          (
            await platform.themeFiles(
              shop,
              themeId,
              places.map(([, name]) => name!),
            )
          ).map(each => [each.name, each.body]),
        )
      : null
    return places.map(([, name]) => ({
      value: bodies ? (bodies.get(name!) ?? null) : undefined,
      what: `${fileWords(name!)} of theme ${theme?.name ?? themeId}`,
    }))
  },
  write: async (platform, shop, changes) => {
    const themeId = changes[0]!.place[0]!
    const written = changes.flatMap(({ place, value }) =>
      value === null ? [] : [{ name: place[1]!, body: value }],
    )
    const gone = changes.flatMap(({ place, value }) => (value === null ? [place[1]!] : []))
    if (written.length > 0) await platform.writeThemeFiles(shop, themeId, written)
    if (gone.length > 0) await platform.deleteThemeFiles(shop, themeId, gone)
  },
  isInUse: async (platform, shop, [themeId, name]) => {
    const template = templateOf(name!)
    if (!template?.suffix || !isAssigned(template.type)) return false
    const live = (await platform.themes(shop)).find(each => each.role === 'live')
    return (
      live?.id === themeId &&
      (await countResources(platform, shop, template.type, { suffix: template.suffix })) > 0
    )
  },
}

const assignment: JournalKind = {
  look: async (platform, shop, places) => {
    const found = new Map<string, { suffix: string; title: string }>()
    for (const type of new Set(places.map(([type]) => type as AssignedType)))
      for (const { id, suffix, title } of await resourcesById(
        platform,
        shop,
        type,
        places.flatMap(([of, id]) => (of === type ? [id!] : [])),
      ))
        found.set(`${type} ${id}`, { suffix, title })
    return places.map(([type, id]) => {
      const there = found.get(`${type} ${id}`)
      return { value: there?.suffix, what: `Template of ${type} ${there?.title ?? id}` }
    })
  },
  write: (platform, shop, changes) =>
    platform.assignTemplates(
      shop,
      changes.map(({ place: [type, id], value }) => ({
        type: type as AssignedType,
        id: id!,
        suffix: value ?? '',
      })),
    ),
}

const price: JournalKind = {
  look: async (platform, shop, places) => {
    const [there] = await platform.productsById(shop, [places[0]![0]!])
    const variants = new Map(there?.variants.map(each => [each.id, each]))
    return places.map(([productId, id]) => {
      const variant = variants.get(id!)
      const title = there?.product.title ?? productId!
      return {
        value: variant ? String(variant.price) : undefined,
        what: `Price of ${variant && variant.title !== title ? `${title}, ${variant.title}` : title}`,
      }
    })
  },
  write: (platform, shop, changes) =>
    platform.setPrices(
      shop,
      changes[0]!.place[0]!,
      changes.map(({ place: [, variantId], value }) => ({
        variantId: variantId!,
        price: Number(value),
      })),
    ),
}

const theme: JournalKind = {
  look: async (platform, shop) => {
    const live = (await platform.themes(shop)).find(each => each.role === 'live')
    return [{ value: live?.id, what: 'The live theme' }]
  },
  write: async (platform, shop, [change]) => {
    if (change?.value) await platform.publishTheme(shop, change.value)
  },
}

const redirect: JournalKind = {
  look: async (platform, shop, places) => {
    const all = new Map((await platform.urlRedirects(shop)).map(each => [each.path, each.target]))
    return places.map(([path]) => ({ value: all.get(path!) ?? null, what: `Redirect of ${path}` }))
  },
  write: async (platform, shop, changes) => {
    for (const {
      place: [path],
      value,
    } of changes) {
      const old = (await platform.urlRedirects(shop)).filter(
        each => each.path === path && each.target !== value,
      )
      for (const { id } of old) await platform.deleteUrlRedirect(shop, id)
      if (value === null) continue
      try {
        await platform.createUrlRedirect(shop, { path: path!, target: value })
      } catch (error) {
        // It may be the merchant's own. Should this fail too, undoing puts it back.
        for (const { target } of old)
          await platform.createUrlRedirect(shop, { path: path!, target }).catch(() => {})
        throw error
      }
    }
  },
  isTwoSteps: true,
}

const picture: JournalKind = {
  look: async (platform, shop, places) =>
    Promise.all(
      places.map(async ([name]) => {
        const there = await platform.picture(shop, name!)
        return { value: there?.hash ?? null, what: `Picture ${name}` }
      }),
    ),
  write: async (platform, shop, changes, bytesOf) => {
    for (const {
      place: [name],
      value,
    } of changes) {
      const kept = value === null ? null : await bytesOf(name!)
      if (kept) await platform.publishPicture(shop, { name: name!, ...kept })
      else await platform.removePicture(shop, name!)
    }
  },
}

export const journalKinds: Record<JournalTable['kind'], JournalKind> = {
  file,
  assignment,
  price,
  theme,
  redirect,
  picture,
}

/** True if the shop refuses this permanently, so that a retry would not help. */
export const isRefusal = (error: unknown): error is HttpProblem =>
  error instanceof HttpProblem && [400, 404, 409, 410, 413, 422].includes(error.status)

const isAssigned = (type: string): type is AssignedType =>
  (assignedTypes as readonly string[]).includes(type)

function fileWords(name: string): string {
  const template = templateOf(name)
  return template
    ? `Template ${template.type}${template.suffix && `.${template.suffix}`}`
    : `File ${name}`
}
