/** Reasons why a session was not moved: it is at its old home, and nothing of it is at the other one. */
import { Schema } from "effect"
import type { SessionBusy } from "../../contract/AgentError.ts"

export class UnknownHome extends Schema.TaggedError<UnknownHome>()("UnknownHome", { home: Schema.String }) {
  override get message() {
    return `No home is known as ${JSON.stringify(this.home)}`
  }
}

export class SameHome extends Schema.TaggedError<SameHome>()("SameHome", { home: Schema.String }) {
  override get message() {
    return `The session is at ${JSON.stringify(this.home)} already`
  }
}

/** A home did not do its part of the move. */
export class HomeDown extends Schema.TaggedError<HomeDown>()("HomeDown", { home: Schema.String }) {
  override get message() {
    return `The home ${JSON.stringify(this.home)} does not answer: reins serve has to run there`
  }
}

export class CannotBeMoved extends Schema.TaggedError<CannotBeMoved>()("CannotBeMoved", { cli: Schema.String }) {
  override get message() {
    return `Sessions of ${this.cli} cannot be moved to another home: begin anew there, with --fresh`
  }
}

/** The homes have no store in common. */
export class NotShared extends Schema.TaggedError<NotShared>()("NotShared", { place: Schema.String }) {
  override get message() {
    return `The store ${this.place} is of this home alone: sessions move between homes with a store on PostgreSQL`
  }
}

export class MoveOpen extends Schema.TaggedError<MoveOpen>()("MoveOpen", { session: Schema.String }) {
  override get message() {
    return `The session ${JSON.stringify(this.session)} is being moved already`
  }
}

export class MoveFailed extends Schema.TaggedError<MoveFailed>()("MoveFailed", { problem: Schema.String }) {
  override get message() {
    return `The session was not moved: ${this.problem}`
  }
}

export type MoveError =
  | UnknownHome
  | SameHome
  | HomeDown
  | CannotBeMoved
  | NotShared
  | MoveOpen
  | MoveFailed
  | SessionBusy
