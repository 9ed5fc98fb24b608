/** Objects of the server have the published types of the Web API: the compiler is the judge, of the lines above the test. */
import type { ConversationsHistoryResponse, ConversationsInfoResponse, FilesInfoResponse } from "@slack/web-api"
import { expect, it } from "vitest"
import type { fileOf, messageOf, placeOf, sharesOf } from "../../../src/testing/slack/messages.ts"

type Message = NonNullable<ConversationsHistoryResponse["messages"]>[number]
type File = NonNullable<FilesInfoResponse["file"]>
type Place = NonNullable<ConversationsInfoResponse["channel"]>

/** Blocks and further members are the client's and the test's own. */
type Said = Omit<ReturnType<typeof messageOf>, "blocks" | "more">

const published = {
  message: ({ type, user, text, ts, team }: Said): Message => ({ type, user, text, ts, team }),
  file: (file: ReturnType<typeof fileOf>): File => file,
  shares: (shares: ReturnType<typeof sharesOf>): NonNullable<File["shares"]> => shares,
  place: (place: ReturnType<typeof placeOf>): Omit<Place, "user"> => place
}

it("says what the published types say", () => {
  expect(Object.keys(published)).toHaveLength(4)
})
