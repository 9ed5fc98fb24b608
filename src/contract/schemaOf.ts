/** Proves that a Schema and a handwritten type are identical, with `readonly`, `?`, `| undefined` and literals. */
import type { Schema } from "effect"

export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The members of a type, its own and the inherited ones; of a union, those of each of its types. */
export type Flat<A> = { [Name in keyof A]: A[Name] }

type Member<A, Name> = Name extends keyof A ? Flat<Pick<A, Name>> : "missing"

/** Names of members that differ, or that only one of the types has. */
type Differing<A, B> = {
  [Name in keyof A | keyof B]: Same<Member<A, Name>, Member<B, Name>> extends true ? never : Name
}[keyof A | keyof B]

/** Members that no Schema has: their names are in the error. */
type Mistake<A, B> = [Differing<A, B>] extends [never]
  ? { readonly "the Schema differs from the type": [schema: A, type: B] }
  : {
      readonly [Name in Differing<A, B> & string as `${Name} differs in the Schema and the type`]: [
        schema: Member<A, Name>,
        type: Member<B, Name>
      ]
    }

/** For identical types `unknown`, which every Schema fits. */
export type Proof<A, B> = Same<A, B> extends true ? unknown : Mistake<A, B>

/** Returns the Schema itself. `LeftOut`: names of members that are not compared. */
export const schemaOf =
  <T, LeftOut extends string = never>() =>
  <S extends Schema.Constraint>(schema: S & Proof<Compared<S["Type"], LeftOut>, Compared<T, LeftOut>>): S =>
    schema

type Compared<A, LeftOut extends string> = [LeftOut] extends [never] ? Flat<A> : Flat<Omit<A, LeftOut>>
