"""The child process of ``FakeModelServer``."""

from tests.harness.fake_llm.serve import main

if __name__ == "__main__":
    main()
