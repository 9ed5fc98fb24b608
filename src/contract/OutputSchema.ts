/** The schemas that an answer can be checked by, and the type that each gives it. */

/** JSON Schema of draft 2020-12 or 07, with a keyword at least. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly "~standard"?: never
  /** Pass the schema itself, not an object with a `schema` member, as the options of other libraries have it. */
  readonly schema?: never
}

/** A problem that a schema of the Standard Schema reports. */
interface StandardIssue {
  /** For people. */
  readonly message: string
  /** The place in the value. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/**
 * A [Standard Schema](https://standardschema.dev) that also gives its JSON Schema: of Zod (4.2 or newer), ArkType
 * (2.1.28 or newer), or Valibot by `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>
    }
  }
}

/** A Schema of Effect whose decoding needs no services. */
export interface EffectSchema<Output = unknown> {
  readonly "~effect/Schema/Schema": unknown
  /** The type of what it decodes. */
  readonly Type: Output
  /** None. */
  readonly DecodingServices: never
}

/** A schema of answers of type `Output`. */
export type OutputSchema<Output = unknown> = StandardSchema<Output> | EffectSchema<Output> | JsonSchema
