/** Sends news to every open page, and to a page that opens later all news that still count. */
import type { ServerResponse } from 'node:http';
import type { ModuleState, News, RunNews } from '../protocol.js';

/** The news of one command. */
export class NewsStream {
  private readonly pages = new Set<ServerResponse>();
  private module: News | undefined;
  /** The news of the latest run. */
  private run: News[] = [];

  /** Opens the event stream of a page. */
  open(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.pages.add(response);
    response.on('close', () => this.pages.delete(response));
    response.write(lineOf({ type: 'forget' }));
    for (const news of [...(this.module ? [this.module] : []), ...this.run]) {
      response.write(lineOf(news));
    }
  }

  /** Sends the state of the module. */
  tellModule(module: ModuleState): void {
    this.module = { type: 'module', module };
    this.send(this.module);
  }

  /** Sends the news of a run. */
  tellRun(news: RunNews): void {
    if (news.type === 'began') this.run = [];
    const sent: News = { type: 'run', news };
    this.run.push(sent);
    this.send(sent);
  }

  /** Says that the process of the latest run has ended. */
  loseRun(): void {
    if (this.run.length > 0) this.tellRun({ type: 'lost' });
  }

  /** Ends all streams. */
  close(): void {
    for (const page of this.pages) page.end();
  }

  private send(news: News): void {
    for (const page of this.pages) page.write(lineOf(news));
  }
}

function lineOf(news: News): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}
