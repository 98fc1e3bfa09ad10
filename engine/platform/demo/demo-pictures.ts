import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem } from '../../../domain/problem.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'
import type { PlatformPictures } from '../pictures.ts'

const checkPicture = Compile(Type.Object({ url: Type.String(), hash: Type.String() }))
const path = (name: string) => `/admin/api/pictures/${encodeURIComponent(name)}`

/** Pictures of the demo shop. */
export function demoPictures(admin: DemoAdmin): PlatformPictures {
  return {
    picture: async (_, name) => {
      try {
        const { url, hash } = checked(checkPicture, await admin.get(path(name)))
        return { url, hash }
      } catch (error) {
        if (error instanceof HttpProblem && error.status === 404) return null
        throw error
      }
    },
    publishPicture: async (_, { name, type, body }) =>
      void (await admin.put(path(name), body, type)),
    removePicture: async (_, name) => void (await admin.delete(path(name))),
  }
}
