import { setTimeout as pause } from 'node:timers/promises'
import { HttpProblem, ShopBusy } from '../../../../domain/problem.ts'
import type { PlatformAddresses } from '../../addresses.ts'
import { PartialWrite } from '../../partial-write.ts'
import type { PlatformThemes } from '../../themes.ts'
import { eachOf, partsOf, wholeList } from '../client/lists.ts'
import { accepted, refusal, ScopeMissing, type UserError } from '../client/problems.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import {
  deleteThemeFiles,
  jobState,
  publishTheme,
  themeFiles,
  themes,
  themeState,
  upsertThemeFiles,
} from '../documents/themes.ts'
import { gid, idOf } from '../client/shopify-ids.ts'
import { textOfFile } from './theme-file-body.ts'

/** Maximum names and files that Shopify accepts in one operation. */
const namesAtOnce = 50
/** How often, and after how many milliseconds, we look whether written files are there. */
const jobLooks = 20,
  lookEvery = 250

/** A theme that is still being copied or imported can be neither read nor written. */
const processing = (name: string) =>
  new ShopBusy(
    `Shopify is still preparing the theme ${name}. Repeat this when it is ready, in a minute or two.`,
    60,
  )
const gone = () => new HttpProblem(404, 'There is no such theme in the shop any more.')
const noWrites = (cause: unknown) =>
  new HttpProblem(
    422,
    'Shopify does not let Twinshelf write into the themes of your shop. Make the change in your shop’s theme editor.',
    cause instanceof HttpProblem ? cause.fields : [],
  )

/** Themes of a Shopify shop. Theme files may only be written with Shopify's exemption. */
export function shopifyThemes(
  { ask, file }: ShopifyClient,
  { adminUrl, themeUrl, themeFileUrl }: PlatformAddresses,
): Omit<PlatformThemes, 'resourcePage' | 'templateUses' | 'assignTemplates'> {
  const idFor = (themeId: string) => gid('OnlineStoreTheme', themeId)

  /** Throws when the theme cannot be written: gone, or not ready. */
  async function requireReady(shop: string, themeId: string): Promise<void> {
    const { theme } = await ask(shop, themeState, { id: idFor(themeId) })
    if (!theme) throw gone()
    if (theme.processing) throw processing(theme.name)
  }

  async function filesNamed(shop: string, themeId: string, names: readonly string[]) {
    const nodes = await wholeList(async after => {
      const { theme } = await ask(shop, themeFiles, {
        id: idFor(themeId),
        filenames: names.map(name => (name.endsWith('/') ? `${name}*` : name)),
        after,
      })
      if (!theme) throw gone()
      if (theme.processing) throw processing(theme.name)
      return theme.files
    })
    const texts = await eachOf(nodes, 5, async node => ({
      node,
      body: await textOfFile(node, url => file(shop, url)),
    }))
    return texts.flatMap(({ node, body }) =>
      body === null ? [] : [{ name: node.filename, body, updatedAt: node.updatedAt }],
    )
  }

  /** Waits until a job has ended. What it writes later is found at the next look. */
  async function finished(
    shop: string,
    { id, done }: { id: string; done: boolean },
  ): Promise<void> {
    let isDone = done
    for (let look = 0; !isDone && look < jobLooks; look++) {
      await pause(lookEvery)
      const { job } = await ask(shop, jobState, { id })
      isDone = job?.done ?? true
    }
  }

  return {
    themes: async shop => {
      const all = await wholeList(async after => (await ask(shop, themes, { after })).themes)
      return all
        .filter(({ processing }) => !processing)
        .map(({ id, name, role, createdAt, updatedAt }) => ({
          id: idOf(id),
          name,
          role: role === 'MAIN' ? ('live' as const) : ('unpublished' as const),
          createdAt,
          updatedAt,
        }))
    },
    themePage: async (shop, { themeId, file: name }) => {
      if (themeId === undefined) return adminUrl(shop, 'themes')
      return name === undefined
        ? themeUrl(shop, themeId)
        : themeFileUrl(shop, themeId) + encodeURIComponent(name)
    },
    themeFiles: async (shop, themeId, names) => {
      if (names.length === 0) return []
      const found = await eachOf(partsOf(names, namesAtOnce), 2, part =>
        filesNamed(shop, themeId, part),
      )
      return found.flat()
    },
    writeThemeFiles: async (shop, themeId, files) => {
      if (files.length === 0) return
      await requireReady(shop, themeId)
      const { themeFilesUpsert: answer } = await ask(
        shop,
        upsertThemeFiles,
        {
          themeId: idFor(themeId),
          files: files.map(({ name, body }) => ({
            filename: name,
            body: { type: 'TEXT' as const, value: body },
          })),
        },
        { mayRepeat: true },
      ).catch(refusedWrites)
      complete(answer?.upsertedThemeFiles, answer?.userErrors ?? [])
      if (answer?.job) await finished(shop, answer.job)
    },
    deleteThemeFiles: async (shop, themeId, names) => {
      for (const part of partsOf(names, namesAtOnce)) {
        await requireReady(shop, themeId)
        const { themeFilesDelete: answer } = await ask(
          shop,
          deleteThemeFiles,
          { themeId: idFor(themeId), files: part },
          { mayRepeat: true },
        ).catch(refusedWrites)
        // A file that does not exist is no error.
        const errors = (answer?.userErrors ?? []).filter(({ code }) => code !== 'NOT_FOUND')
        complete(answer?.deletedThemeFiles, errors)
      }
    },
    publishTheme: async (shop, themeId) => {
      await requireReady(shop, themeId)
      const { themePublish } = await ask(
        shop,
        publishTheme,
        { id: idFor(themeId) },
        { mayRepeat: true },
      ).catch(refusedWrites)
      accepted(themePublish)
    },
  }
}

/** Without the exemption, Shopify refuses every write of a theme, whatever the scopes are. */
const refusedWrites = (error: unknown): never => {
  throw error instanceof ScopeMissing ? noWrites(error) : error
}

/** Throws when files were refused: PartialWrite when others were written. */
function complete(
  done: readonly { filename: string }[] | null | undefined,
  errors: readonly (UserError & { filename: string | null })[],
): void {
  if (errors.length === 0) return
  if (errors.some(({ code }) => code === 'ACCESS_DENIED')) throw noWrites(null)
  if (!done || done.length === 0) throw refusal(errors.map(withName))
  throw new PartialWrite(
    done.map(({ filename }) => filename),
    errors.map(error => ({ item: error.filename ?? 'a file', message: error.message })),
  )
}

const withName = ({ filename, ...error }: UserError & { filename: string | null }): UserError => ({
  ...error,
  message: filename ? `${filename}: ${error.message}` : error.message,
})
