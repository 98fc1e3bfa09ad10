import type { Platform } from '../adapter.ts'
import type { DemoAdmin } from './demo-admin.ts'

/** The checkout pixel of the demo shop: it runs the source that it is given. */
export const demoPixel = (admin: DemoAdmin): Pick<Platform, 'publishPixel'> => ({
  publishPixel: async (_, pixel) =>
    void (pixel
      ? await admin.put('/admin/api/pixel', {
          script: pixel.script.toString(),
          settings: pixel.settings,
        })
      : await admin.delete('/admin/api/pixel')),
})
