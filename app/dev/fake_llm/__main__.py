"""The child process of ``FakeModelServer``."""

from clausegraph.app.dev.fake_llm.serve import main

if __name__ == "__main__":
    main()
