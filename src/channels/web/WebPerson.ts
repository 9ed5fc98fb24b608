/** Who is at a page, as the application says. */

export interface WebPerson {
  /** Stable: what is listed in the access of the bridge. Letters, digits and `.@+:_-`. */
  readonly id: string
  /** What others see. Default: the id. */
  readonly name?: string
  /** Further names by which a list may name them, such as `staff`. Default: none. */
  readonly roles?: ReadonlyArray<string>
}
