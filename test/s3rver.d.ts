declare module 's3rver' {
  /** A small S3-compatible storage in a folder, for tests. */
  class S3rver {
    constructor(options: {
      port: number
      address: string
      silent: boolean
      directory: string
      configureBuckets: { name: string; configs: string[] }[]
    })
    run(): Promise<unknown>
    close(): Promise<void>
  }
  export = S3rver
}
