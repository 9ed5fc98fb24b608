/**
 * Makes the class of a failure reason or an error for the interface of the same name: also a Schema, and `yield*` fails
 * with it. The compiler checks that fields and interface are the same.
 */
import { type Cause, Inspectable, Schema } from "effect"
import { acrossCopies } from "./acrossCopies.ts"
import type { ErrorCategory } from "./ErrorCategory.ts"
import type { Flat, Proof } from "./schemaOf.ts"

/** The members that every error here has. */
interface CommonParts extends Error {
  /** The same as `_tag`. */
  readonly name: string
  /** Composed of the fields, for people; without prompts and secrets. */
  readonly message: string
}

// A declaration of its own: those of the doors without `effect` leave it out.
interface CommonParts extends Cause.YieldableError {}

/** The members of an error with this tag. */
export interface ErrorParts<Tag extends string> extends CommonParts {
  readonly _tag: Tag
}

/** The members that every reason of `AgentError` has. */
export interface ReasonParts<Tag extends string, Code = string, Category = ErrorCategory, Retryable = boolean>
  extends ErrorParts<Tag> {
  /** More specific than the category, the same as in `error` events. */
  readonly code: Code
  /** The category of the error, the same for every CLI. */
  readonly category: Category
  /** The same run may succeed if it is tried again. */
  readonly retryable: Retryable
}

/** The constant facts of a reason. */
export const facts = <const Code, const Category, const Retryable>(
  code: Code,
  category: Category,
  retryable: Retryable
) => ({ code, category, retryable })

type Fields = Schema.Struct.Fields

/** The fields of an error, with their comments. */
type FieldsOf<Self, F extends Fields> = Pick<Self, keyof F & keyof Self>

type Statics<Self, Tag extends string, F extends Fields> = Omit<
  Schema.Class<Self, Schema.TaggedStruct<Tag, F>, unknown>,
  never
>

/** A class whose instances are of the interface, and the Schema of them. */
export interface ErrorClass<Self extends ErrorParts<string>, F extends Fields> extends Statics<Self, Self["_tag"], F> {
  readonly prototype: Self
  new (
    ...args: Record<never, never> extends FieldsOf<Self, F>
      ? [fields?: FieldsOf<Self, F>, options?: Schema.MakeOptions]
      : [fields: FieldsOf<Self, F>, options?: Schema.MakeOptions]
  ): Self
}

interface Definition<Self, F extends Fields> {
  readonly fields: F & Proof<Flat<Schema.Struct<F>["Type"]>, Flat<FieldsOf<Self, F>>>
  readonly message: (error: Self) => string
}

/** The members that are neither fields nor members of every error: each a constant, or a function of the fields. */
type Facts<Self, F extends Fields> = {
  readonly [Name in Exclude<keyof Self, keyof ErrorParts<string> | keyof F>]: Self[Name] | ((error: Self) => Self[Name])
}

type Compute = (error: object) => unknown

const isCompute = (fact: unknown): fact is Compute => typeof fact === "function"

/** The class with its message. `complete` adds own members to a new instance. */
const classOf = <Self extends ErrorParts<string>, F extends Fields>(
  tag: string,
  fields: Fields,
  message: (error: Self) => string,
  complete: (error: object) => void
) => {
  class Made extends Schema.TaggedError<Error>()(tag, fields) {
    constructor(values: never, options?: Schema.MakeOptions) {
      super(values, options)
      complete(this)
    }
  }
  Object.defineProperty(Made, "name", { value: tag, configurable: true })
  defineGetter(Made.prototype, "message", message as (error: never) => unknown)
  acrossCopies(Made, tag)
  return Made as unknown as ErrorClass<Self, F> // its members are defined by name, which the compiler cannot follow
}

const defineGetter = (prototype: object, name: string, compute: (error: never) => unknown) =>
  Object.defineProperty(prototype, name, {
    get(this: never) {
      return compute(this)
    },
    configurable: true
  })

/** The inspector of Effect leaves out the message; for an error, its stack, too. */
const printedAs = (prototype: object, print: (() => object) | undefined) =>
  Object.defineProperty(prototype, Inspectable.NodeInspectSymbol, { value: print, configurable: true })

/** Constants are own members of a reason, and functions of its fields are getters. Printed, it has its message, too. */
export const reason =
  <Self extends ErrorParts<string>>() =>
  <const F extends Fields>(
    tag: Self["_tag"],
    definition: Definition<Self, F> & Facts<Self, F>
  ): ErrorClass<Self, F> => {
    const { fields, message, ...facts } = definition
    const all = Object.entries<unknown>({ ...facts })
    const constants = Object.fromEntries(all.filter(([, fact]) => !isCompute(fact)))
    const Made = classOf<Self, F>(tag, fields, message, (error) => Object.assign(error, constants))
    for (const [name, fact] of all) if (isCompute(fact)) defineGetter(Made.prototype, name, fact)
    printedAs(Made.prototype, function (this: Self) {
      return { ...Object(this.toJSON()), message: this.message }
    })
    return Made
  }

interface Presentation<Self, F extends Fields> {
  /** Fields that are not printed: what they say is in the message. */
  readonly hidden: ReadonlyArray<keyof F>
  /** Members of the JSON form, after the fields. */
  readonly json: (error: Self) => object
}

/** All facts are own members of an error: printed, it is its message, its stack and these. Its Schema reads its JSON form. */
export const errorOfReason =
  <Self extends ErrorParts<string>>() =>
  <const F extends Fields>(
    tag: Self["_tag"],
    definition: Definition<Self, F> & Facts<Self, F> & Presentation<Self, F>
  ): ErrorClass<Self, F> => {
    const { fields, message, hidden, json, ...facts } = definition
    const Made = classOf<Self, F>(tag, fields, message, (error) => {
      for (const [name, fact] of Object.entries<unknown>({ ...facts })) {
        const value = isCompute(fact) ? fact(error) : fact
        if (value !== undefined) Object.assign(error, { [name]: value })
      }
      for (const name of hidden) Object.defineProperty(error, name, { enumerable: false })
    })
    const toJSON = function (this: Self) {
      return { ...Object(Schema.encodeUnknownSync(Made as unknown as Schema.Codec<Self>)(this)), ...json(this) }
    }
    Object.defineProperty(Made.prototype, "toJSON", { value: toJSON, configurable: true })
    printedAs(Made.prototype, undefined)
    return Made
  }
