/** Pictures on the shop's own asset host. */
export type PlatformPictures = {
  /** Where a picture of ours stands, and which one it is; null when there is none of this name. */
  picture: (shop: string, name: string) => Promise<{ url: string; hash: string } | null>
  publishPicture: (
    shop: string,
    picture: { name: string; type: string; body: Buffer },
  ) => Promise<void>
  /** One that is not there is no error. */
  removePicture: (shop: string, name: string) => Promise<void>
}
