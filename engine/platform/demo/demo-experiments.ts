import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { PlatformAdapter } from '../adapter.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'

const checkExperiments = Compile(
  Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      since: Type.String(),
      theme_ids: Type.Array(Type.String()),
    }),
  ),
)

/** The experiments that the demo shop runs by itself. */
export const demoExperiments = (
  admin: DemoAdmin,
  adminOrigin: string,
): Pick<PlatformAdapter, 'nativeExperiments'> => ({
  nativeExperiments: async () =>
    checked(checkExperiments, await admin.get('/admin/api/experiments.json')).map(
      ({ theme_ids, ...experiment }) => ({
        ...experiment,
        themeIds: theme_ids,
        address: `${adminOrigin}/admin/themes#experiments`,
      }),
    ),
})
