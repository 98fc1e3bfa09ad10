import * as Type from 'typebox'

/** What pictures of an arm are taken on, in CSS pixels. */
export const screenshotDevices = {
  desktop: { width: 1280, height: 960, isPhone: false },
  phone: { width: 390, height: 844, isPhone: true },
} as const
export type ScreenshotDevice = keyof typeof screenshotDevices
export const screenshotDeviceNames = Object.keys(screenshotDevices) as [
  ScreenshotDevice,
  ...ScreenshotDevice[],
]

/** A picture there is of an arm; its bytes are a call of their own. */
export const Screenshot = Type.Object({
  device: Type.Enum(screenshotDeviceNames),
  takenAt: Type.String(),
})
export type Screenshot = Type.Static<typeof Screenshot>
