/** The tester reads its typed programs as if this file contained them. */
export {};
