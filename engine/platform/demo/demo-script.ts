import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { scriptStates } from '../../../domain/script/script-state.ts'
import type { PlatformAdapter } from '../adapter.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'

const checkSwitch = Compile(
  Type.Object({ state: Type.Enum([...scriptStates]), url: Type.String({ pattern: '^https?://' }) }),
)

/** The switch of the app's script in the demo shop's themes. */
export const demoScript = (admin: DemoAdmin): Pick<PlatformAdapter, 'scriptState'> => ({
  scriptState: async (_, themeId = '') => {
    const { state, url } = checked(
      checkSwitch,
      await admin.get(`/admin/api/script_switch.json?${new URLSearchParams({ theme: themeId })}`),
    )
    return { state, switchAt: state === 'notNeeded' ? null : url }
  },
})
