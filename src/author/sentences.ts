/**
 * The sentences about wrong shapes. Each is a member of the union that a type parameter extends, so
 * the compiler prints it for a value that fits no other member, and a hover over correct code shows
 * only what the author passed. A sentence that depends on several types is the result of a
 * conditional type in `infer.ts`. Calls with too few or too many arguments have an overload with
 * the sentence.
 */
export interface Sentences {
  needs: 'Needs come first. Write resolver({ id: args.id }, ({ id }) => …), or resolver({}, () => …) if there are none.';
  need: 'A need is an argument (args.name of argsOf(schema)), a resolver or outcome(resolver). Wrap a function in resolver({}, () => …).';
  filler: 'A parameter takes a resolver or outcome(resolver). Wrap a function or a question in resolver({}, () => …).';
  schema: 'This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().';
  pin: '`pin` must be the schema of the value, because later rounds restore it. Write pin: z.number() or pin: z.object({ … }).';
  attempts: '`attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.';
  guard: 'A guard is a resolver. Write guards: [guard], with guard = resolver({ id: args.id }, ({ id }) => mayRefund(id)).';
  guards: '`guards` must be an array of resolvers. Write guards: [guard].';
  once: '`once` must be a store. Write once: memoryStore(), once: redisStore(client) or once: postgresStore(client), from mcp-resolve/store.';
  approvals: '`approvals` must be a desk. Write approvals: approvalDesk({ store }), from mcp-resolve/approvals.';
  parts: 'A tool has a name, a configuration and a body. Write defineTool(name, { inputSchema, once }, body).';
  promptParts: 'A prompt has a name, a configuration and a body. Write definePrompt(name, { argsSchema }, body), or {} if there is nothing to configure.';
  resourceParts: 'A resource has a name, a uri, a configuration and a body. Write defineResource(name, uri, { mimeType }, body), or {} if there is nothing to configure.';
  server: 'The server comes first. Write install(server, [tool]).';
  redis: '`client` must be a client of node-redis or ioredis. Write redisStore(createClient({ url })).';
  postgres: '`client` must be a pool of pg. Write postgresStore(new Pool({ connectionString })).';
  definitions: 'Definitions are an array. Write install(server, [tool]).';
  keys: '`keys` must be an array, because keys are rotated. Write keys: [key].';
}

/** An object that is not a schema. The compiler prints the sentence for each of its fields. */
export interface NoSchema {
  readonly [field: string]: Sentences['schema'];
  readonly '~standard': Sentences['schema'];
}
