/** Pictures on the shop's own asset host. */
export type PlatformPictures = {
  /** The address and the hash of a picture of ours; null when there is none of this name. */
  picture: (shop: string, name: string) => Promise<{ url: string; hash: string } | null>
  publishPicture: (
    shop: string,
    picture: { name: string; type: string; body: Buffer },
  ) => Promise<void>
  /** A picture that does not exist is no error. */
  removePicture: (shop: string, name: string) => Promise<void>
}
