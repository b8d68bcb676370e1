import { ProlepsisError } from '../../../../domain/errors.ts'
import type { QueryOptions, SharedServices } from '../../../database.ts'

type Handler = (payload: unknown) => Promise<unknown>

/** Who owns the folder now, and the way there. */
interface FolderRole {
  isOwner(): boolean
  forward(name: string, payload: unknown, options: QueryOptions): Promise<unknown>
}

/** The named services of this process, and the way to the owner's. */
export class SharedServiceTable implements SharedServices {
  readonly #handlers = new Map<string, Handler>()
  readonly #folder: FolderRole

  constructor(folder: FolderRole) {
    this.#folder = folder
  }

  isOwner(): boolean {
    return this.#folder.isOwner()
  }

  serve(name: string, handler: Handler): void {
    this.#handlers.set(name, handler)
  }

  call(name: string, payload: unknown, options: QueryOptions = {}): Promise<unknown> {
    return this.#folder.forward(name, payload, options)
  }

  async handle(name: string, payload: unknown): Promise<unknown> {
    const handler = this.#handlers.get(name)
    if (handler === undefined) {
      throw new ProlepsisError('NOT_FOUND', `The owner of the data folder does not serve ${name}.`)
    }
    return handler(payload)
  }
}
