import * as Type from 'typebox'

/** The screens on which pictures of an arm are taken, in CSS pixels. */
export const screenshotDevices = {
  desktop: { width: 1280, height: 960, isPhone: false },
  phone: { width: 390, height: 844, isPhone: true },
} as const
export type ScreenshotDevice = keyof typeof screenshotDevices
export const screenshotDeviceNames = Object.keys(screenshotDevices) as [
  ScreenshotDevice,
  ...ScreenshotDevice[],
]

/** An existing picture of an arm. Another call (`screenshot`) returns its bytes. */
export const Screenshot = Type.Object({
  device: Type.Enum(screenshotDeviceNames),
  takenAt: Type.String(),
})
export type Screenshot = Type.Static<typeof Screenshot>
