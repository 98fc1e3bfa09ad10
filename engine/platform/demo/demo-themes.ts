import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { assignedTypes } from '../../../domain/themes/template.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'
import type { PlatformThemes } from '../themes.ts'

const Theme = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['live', 'unpublished']),
  created_at: Type.String(),
  updated_at: Type.String(),
})
const checkThemes = Compile(Type.Array(Theme))
const checkFiles = Compile(
  Type.Array(Type.Object({ name: Type.String(), body: Type.String(), updated_at: Type.String() })),
)
const checkResources = Compile(
  Type.Object({
    items: Type.Array(
      Type.Object({
        type: Type.Enum([...assignedTypes]),
        id: Type.String(),
        handle: Type.String(),
        title: Type.String(),
        path: Type.String(),
        suffix: Type.String(),
      }),
    ),
    end_cursor: Type.Union([Type.String(), Type.Null()]),
    has_next: Type.Boolean(),
    total: Type.Integer({ minimum: 0 }),
  }),
)
const checkUses = Compile(
  Type.Array(
    Type.Object({
      suffix: Type.String(),
      count: Type.Integer({ minimum: 0 }),
      titles: Type.Array(Type.String()),
    }),
  ),
)

/** Maximum names that the shop accepts in one request. */
const namesAtOnce = 50

/**
 * Themes and template assignments of the demo shop. Its address serves only one shop, so requests
 * do not name the shop.
 */
export function demoThemes(admin: DemoAdmin, adminOrigin: string): PlatformThemes {
  const path = (themeId: string, rest = '') =>
    `/admin/api/themes/${encodeURIComponent(themeId)}${rest}`
  let reading: Promise<unknown> = Promise.resolve()
  /**
   * Reads whole folders one after the other, because a folder takes many times its size in memory
   * while we read it.
   */
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const turn = reading.then(read, read)
    reading = turn
    return turn
  }
  const named = (names: string[]) => new URLSearchParams(names.map(name => ['name', name]))
  return {
    themes: async () =>
      checked(checkThemes, await admin.get('/admin/api/themes.json')).map(
        ({ created_at, updated_at, ...theme }) => ({
          ...theme,
          createdAt: created_at,
          updatedAt: updated_at,
        }),
      ),
    themePage: async (_, { themeId, file }) => {
      if (themeId === undefined) return `${adminOrigin}/admin/themes`
      const page = `${adminOrigin}/admin/themes/${encodeURIComponent(themeId)}`
      return file === undefined ? page : `${page}/file?name=${encodeURIComponent(file)}`
    },
    themeFiles: async (_, themeId, names) => {
      const parts = Array.from({ length: Math.ceil(names.length / namesAtOnce) }, (_, i) =>
        names.slice(i * namesAtOnce, (i + 1) * namesAtOnce),
      )
      const read = () =>
        Promise.all(
          parts.map(async part =>
            checked(checkFiles, await admin.get(path(themeId, `/files.json?${named(part)}`))),
          ),
        )
      const files = await (names.some(name => name.endsWith('/')) ? inTurn(read) : read())
      return files.flat().map(({ updated_at, ...file }) => ({ ...file, updatedAt: updated_at }))
    },
    writeThemeFiles: async (_, themeId, files) => {
      if (files.length > 0)
        await admin.put(path(themeId, '/files.json'), {
          files: files.map(({ name, body }) => ({ name, body })),
        })
    },
    deleteThemeFiles: async (_, themeId, names) => {
      if (names.length > 0) await admin.delete(path(themeId, `/files.json?${named(names)}`))
    },
    publishTheme: async (_, themeId) => void (await admin.post(path(themeId, '/publish'), {})),
    resourcePage: async (_, type, { ids, paths, suffix, query, cursor, pageSize = 250 }) => {
      const search = new URLSearchParams([
        ['type', type],
        ['page_size', String(pageSize)],
        ...(ids ?? []).map(id => ['id', id]),
        ...(paths ?? []).map(path => ['path', path]),
        ...(suffix === undefined ? [] : [['suffix', suffix]]),
        ...(query ? [['query', query]] : []),
        ...(cursor ? [['cursor', cursor]] : []),
      ])
      const { end_cursor, has_next, ...page } = checked(
        checkResources,
        await admin.get(`/admin/api/resources/page.json?${search}`),
      )
      return { ...page, endCursor: end_cursor, hasNext: has_next }
    },
    templateUses: async (_, type) =>
      checked(checkUses, await admin.get(`/admin/api/resources/templates.json?type=${type}`)),
    assignTemplates: async (_, changes) => {
      if (changes.length > 0)
        await admin.put('/admin/api/template_assignments.json', {
          assignments: changes.map(({ type, id, suffix }) => ({ type, id, suffix })),
        })
    },
  }
}
